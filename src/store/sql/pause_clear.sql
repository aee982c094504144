-- Ends the pause.
DELETE FROM {pause}
