"""The regression finds known coefficients within its own errors, and names what the data cannot separate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.analyze.fitting.least_squares import LeastSquares, TooFewRowsError, least_squares

NAMES = ("a", "b", "c")


def fitted(use: np.ndarray, y: np.ndarray, part: np.ndarray | None = None) -> LeastSquares:
    parts = np.zeros(len(y), np.int64) if part is None else part
    return least_squares(use, y, np.ones(len(y)), parts, NAMES[: use.shape[1]], what="rail")


@given(
    seed=st.integers(0, 2**32 - 1),
    base=st.floats(0, 5),
    coefficients=st.lists(st.floats(0, 10), min_size=1, max_size=3),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_without_noise_the_coefficients_are_exact(seed: int, base: float, coefficients: list[float], scale: float) -> None:
    use = np.random.default_rng(seed).uniform(0, scale, (60, len(coefficients)))
    found = fitted(use, base + use @ np.array(coefficients))
    limit = 1e-6 * (1 + base / scale)
    assert found.kept == tuple(range(len(coefficients)))
    assert found.coefficient == pytest.approx(coefficients, rel=1e-6, abs=limit)
    assert found.base == pytest.approx(base, rel=1e-6, abs=1e-6 * max(scale, 1.0))


def test_the_stated_errors_are_those_of_the_estimates() -> None:
    """Over many draws, estimates scatter as much as the standard error says: two thirds are within one error."""
    wanted = np.array([2.0, 0.5])
    random, deviations = np.random.default_rng(7), []
    for _ in range(300):
        use = random.uniform(0, 1, (80, 2))
        found = fitted(use, 1.0 + use @ wanted + random.normal(0, 0.1, 80))
        deviations.append(np.append((found.coefficient - wanted) / found.error, (found.base - 1.0) / found.base_error))
    scatter = np.std(deviations, axis=0)
    assert scatter == pytest.approx(np.ones(3), abs=0.15)


def test_correlated_residuals_widen_the_errors() -> None:
    random = np.random.default_rng(3)
    steps, deviations = np.empty(200), []
    for _ in range(100):
        steps[0] = random.normal()
        for i in range(1, 200):
            steps[i] = 0.8 * steps[i - 1] + random.normal()
        slow = np.repeat(random.uniform(0, 1, 10), 20)[:, None]  # The use changes as slowly as the residuals.
        found = fitted(slow, 5 + 3 * slow[:, 0] + 0.1 * steps)
        deviations.append((found.coefficient[0] - 3) / found.error[0])
    assert np.std(deviations) < 1.3


def test_collinear_uses_are_named() -> None:
    random = np.random.default_rng(1)
    a = random.uniform(0, 1, 100)
    nearly = np.column_stack([a, a + random.normal(0, 0.02, 100)])
    found = fitted(nearly, 1 + nearly.sum(axis=1) + random.normal(0, 0.01, 100))
    assert found.inflation.min() > 10
    assert any(note.startswith("a: changes together with b (variance inflation ") for note in found.notes)
    exactly = np.column_stack([a, 2 * a])
    found = fitted(exactly, 1 + exactly.sum(axis=1))
    assert found.kept == (0,) and found.coefficient == pytest.approx([3.0])
    assert found.notes == ("b: cannot be separated from a, whose coefficient has both",)


def test_a_use_that_never_changes_is_part_of_the_base() -> None:
    use = np.column_stack([np.random.default_rng(1).uniform(0, 1, 50), np.ones(50)])
    found = fitted(use, 2 * use[:, 0] + 3 * use[:, 1])
    assert (found.kept, found.base) == ((0,), pytest.approx(3.0))
    assert found.notes == ("b: never changed, so the base has what they cost",)


def test_a_use_in_a_few_rows_only_is_left_out() -> None:
    """Such a column takes any error of these rows: 0.07 MB that were read at the start of a run cost as much as 1 MB."""
    use = np.column_stack([np.random.default_rng(1).uniform(0, 1, 50), np.zeros(50)])
    use[3:7, 1] = 1e-3
    found = fitted(use, 2 * use[:, 0] + (use[:, 1] > 0))
    assert found.kept == (0,)
    assert found.notes == ("b: changed in only 4 intervals, so it is left out",)


def test_too_few_rows_are_refused() -> None:
    use = np.random.default_rng(1).uniform(0, 1, (14, 2))
    with pytest.raises(TooFewRowsError, match="rail: 14 intervals are too few for 3 unknowns; 15 are needed"):
        fitted(use, use.sum(axis=1))


def test_a_negative_value_is_0_and_named() -> None:
    random = np.random.default_rng(2)
    use = random.uniform(0, 1, (100, 2))
    found = fitted(use, 5 + 2 * use[:, 0] - 3 * use[:, 1] + random.normal(0, 0.01, 100))
    assert found.coefficient[1] == 0 and found.error[1] > 0
    assert [note for note in found.notes if note.startswith("b: 0, as the data ask for a negative value")]


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(20, 60))
def test_no_coefficient_is_negative_and_all_figures_are_finite(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    use = random.normal(0, 1, (rows, 3)) * random.choice([0, 1e-9, 1, 1e9], 3)
    found = fitted(use, random.normal(0, 1, rows), random.integers(0, 4, rows))
    figures = np.concatenate(
        [found.coefficient, found.error, found.inflation, found.held_out, [found.base, found.r2, found.rmse]]
    )
    assert np.isfinite(figures).all()
    assert (found.coefficient >= 0).all() and found.base >= 0


def test_the_held_out_error_is_that_of_a_recording_that_was_left_out() -> None:
    use = np.random.default_rng(4).uniform(0, 1, (90, 1))
    part = np.repeat([0, 1, 2], 30)
    found = fitted(use, (1 + 2 * use[:, 0]) * np.where(part == 2, 1.5, 1.0), part)
    assert len(found.held_out) == 3
    assert found.held_out[2] == pytest.approx(1 / 1.5 - 1, abs=1e-6)
