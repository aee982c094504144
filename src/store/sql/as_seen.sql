-- The row is exactly the one that was shown: every column that can change is compared, since the key
-- may have been reaped and claimed again in between.
{token} IS NOT DISTINCT FROM {b1}
  AND {renewed} IS NOT DISTINCT FROM {b2}
  AND {state} IS NOT DISTINCT FROM {b6}
  AND {attempt} IS NOT DISTINCT FROM {b7}
  AND {claimed} IS NOT DISTINCT FROM {b8}
  AND {lease} IS NOT DISTINCT FROM {b9}
  AND {finished_at} IS NOT DISTINCT FROM {b10}
  AND {expires} IS NOT DISTINCT FROM {b11}
  AND {retry_allowed} IS NOT DISTINCT FROM {b12}
