# Loaded when idemctl is first completed; the command itself knows what completes it.
idemctl completions fish | source
