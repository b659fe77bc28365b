"""The apps on the device: what is installed, what is kept, and the runtime's files in them."""
