-- Whether the file is sound; stops at the first damage.
PRAGMA quick_check(1)
