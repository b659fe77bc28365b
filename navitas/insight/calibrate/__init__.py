"""Fits the CPU's figures of a power profile to measured power, and shows the error at points that were left out of the fit."""
