"""From tables and a power model to energy per test, thread and method."""
