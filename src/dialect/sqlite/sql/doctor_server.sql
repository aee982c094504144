-- What file this is: version, journal, whether it gives room back, its size, its free room, and its clock.
SELECT
    sqlite_version(),
    (SELECT journal_mode FROM pragma_journal_mode),
    (SELECT auto_vacuum FROM pragma_auto_vacuum),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size),
    {now}
