"""Functions that fail, in place of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn


def raising(error: BaseException) -> Callable[..., NoReturn]:
    """Return a function that raises an error, whatever its arguments are."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail
