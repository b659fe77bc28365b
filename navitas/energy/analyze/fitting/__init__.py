"""Fit the coefficients of the linear component model P = base + Σ CᵢPᵢ to measured power (paper 4, equation 1)."""
