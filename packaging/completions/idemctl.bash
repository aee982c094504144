# Loaded when idemctl is first completed; the command itself knows what completes it.
source <(idemctl completions bash)
