"""A project and a device → a recording."""
