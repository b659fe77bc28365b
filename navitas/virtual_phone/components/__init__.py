"""The phone's components beside the CPU: radios, storage, screen and the rest, with their counters and rails."""
