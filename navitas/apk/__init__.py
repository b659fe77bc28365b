"""Android packages: what an APK says of itself."""
