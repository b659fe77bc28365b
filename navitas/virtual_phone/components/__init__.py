"""The phone's components other than the CPU: radios, storage, screen and the rest, with their counters and rails."""
