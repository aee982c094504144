-- The pause that is on now, if one is.
SELECT reason, since, until, actor, host FROM {pause} WHERE until IS NULL OR until > {now}
