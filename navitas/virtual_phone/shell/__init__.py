"""The phone's shell: a subset of mksh."""
