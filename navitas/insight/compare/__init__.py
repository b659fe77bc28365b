"""Compares measurements of two versions of a program: effects with intervals, and verdicts."""
