"""Turns measurements of other tools into recordings that every command reads."""
