"""The report page: one HTML file without other files, with tables for every reader and data for its own scripts."""
