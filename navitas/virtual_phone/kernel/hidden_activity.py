"""The hidden activity of threads: at the same frequency, a core's power depends on the code that it runs.

No power profile and no counter shows it; only the rails do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from navitas.virtual_phone.kernel.modelled_slices import comm
from navitas.virtual_phone.kernel.task import KernelTask

MILLION = 1_000_000
_HASH_BYTES = 8


class HiddenActivity:
    """Scales a core's power by a fixed factor for each name of a thread, in 1 ± `spread` (0 to 1).

    Factors are integers of a millionth, so that sums of scaled times are exact. Threads whose name was never seen have factor 1.
    """

    def __init__(self, spread: float = 0.0, seed: int = 0, *, name_of: Callable[[KernelTask], str] = comm) -> None:
        self._spread = spread
        self._seed = seed
        self._name_of = name_of
        self._names: dict[KernelTask, str] = {}
        self._changes: dict[str, int] = {"": 0}

    def change_millionths(self, task: KernelTask) -> int:
        """Return (factor − 1) · 10⁶ of the thread's present name, or of its last one if it has ended."""
        if not self._spread:
            return 0
        name = self._name_of(task) or self._names.get(task, "")
        self._names[task] = name
        if name not in self._changes:
            self._changes[name] = round((2.0 * self._hash(name) - 1.0) * self._spread * MILLION)
        return self._changes[name]

    def _hash(self, name: str) -> float:
        """Return a number in [0, 1) that depends on the phone's seed and a name."""
        digest = hashlib.sha256(f"{self._seed}:{name}".encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:_HASH_BYTES]) / (1 << 8 * _HASH_BYTES)
