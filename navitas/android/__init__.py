"""Formats of Android itself: APKs, compiled XML, dumps, traces, ids."""
