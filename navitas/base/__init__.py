"""What all rooms use: errors, files, locks, untrusted text. It knows nothing of energy."""
