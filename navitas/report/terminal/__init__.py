"""The terminal report. Its tables fit any width."""
