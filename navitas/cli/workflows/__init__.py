"""What commands do from a project to a recording, for scripts too: build, choose a device, measure (docs/python-api.md)."""
