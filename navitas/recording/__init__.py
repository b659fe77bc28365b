"""A recording: a folder of raw files and the manifest that lists them."""
