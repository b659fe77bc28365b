"""Battery samples of many phones → hogs, bugs, J-scores and advice (docs/fleet.md). Needs the extra `fleet`."""

import os

# Stages use all cores by themselves. Threads of numpy's library would only compete with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
