"""What build and phone must agree on about a bundle: its manifest and what its archive may hold (docs/formats.md, Bundle)."""
