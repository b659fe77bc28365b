"""HTML pages in a single file: they load no other resource, and they escape all data."""
