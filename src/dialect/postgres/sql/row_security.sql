-- Whether row level security applies to this role on the table.
SELECT COALESCE(row_security_active(to_regclass($1)), false), CAST(current_user AS text)
