"""Generators of test data, independent of the code under test."""
