"""Perfetto's messages and trace configuration, for both recording and parsing."""
