"""Random streams: one for each purpose, so that a change of one part of the world leaves the others unchanged."""

from __future__ import annotations

import zlib

import numpy as np

from world.spans import Floats


def stream(seed: int, *keys: str | int) -> np.random.Generator:
    """Return the stream of a seed and keys such as a phone's index and a purpose."""
    return np.random.default_rng([seed, *(zlib.crc32(key.encode()) if isinstance(key, str) else key for key in keys)])


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a value whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def bounded_pareto(rng: np.random.Generator, count: int, exponent: float, ratio: float) -> Floats:
    """Draw values between 1 and `ratio` with the density of a Pareto distribution."""
    return np.asarray((1.0 - rng.random(count) * (1.0 - ratio**-exponent)) ** (-1.0 / exponent))


def bounded_pareto_mean(exponent: float, ratio: float) -> float:
    """Return the expectation of `bounded_pareto` for an exponent other than 1."""
    return float(exponent / (exponent - 1.0) * (1.0 - ratio ** (1.0 - exponent)) / (1.0 - ratio**-exponent))
