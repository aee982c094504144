-- Whether the file is sound; stops at the first damage.
SELECT quick_check FROM pragma_quick_check(1)
