"""Users and tags of history items, numbered."""

from __future__ import annotations

MOST_NAMES = 200_000
MORE = "(more names)"


class Names:
    """Numbers pairs of uid and tag. Number 0 is (−1, ""), that is, no name. Later names of too many share one number."""

    def __init__(self) -> None:
        self.uids = [-1, -1]
        self.tags = ["", MORE]
        self._numbers: dict[tuple[int, str], int] = {(-1, ""): 0}

    def number(self, uid: int, tag: str) -> int:
        """Return the number of a pair."""
        found = self._numbers.get((uid, tag))
        if found is not None:
            return found
        if len(self.uids) >= MOST_NAMES:
            return 1
        self._numbers[uid, tag] = len(self.uids)
        self.uids.append(uid)
        self.tags.append(tag)
        return len(self.uids) - 1
