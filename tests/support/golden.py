"""A recording of the first version of the format, which all later versions read."""

from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden/recording-v1"
