"""The bundle format, as shared by build and phone: its manifest and the limits of its archive (docs/dev/formats.md, Bundle)."""
