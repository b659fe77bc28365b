"""The command line: one module a command; composes, holds no logic."""
