"""What the device itself reports while the app runs: counters, logs, history, the battery."""
