"""The recording: a folder of raw files and the manifest that names them."""
