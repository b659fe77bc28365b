"""What all commands share: options, paths, messages, progress, JSON output."""
