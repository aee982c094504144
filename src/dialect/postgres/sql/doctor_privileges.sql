-- Whether the role may do everything, by its own attribute.
SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user
