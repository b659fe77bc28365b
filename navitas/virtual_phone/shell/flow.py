"""Exceptions that leave scripts early: `exit`, `break`, `continue`, `return`."""

from __future__ import annotations


class _WithStatus(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ExitShell(_WithStatus):
    """`exit`, or an error that ends the shell."""


class LoopControl(Exception):
    """`break` and `continue`: leave `levels` loops; with `resume`, the last one continues."""

    def __init__(self, levels: int, *, resume: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.resume = resume

    def stays(self) -> bool:
        """Return whether the innermost loop continues. Raises the control again for outer loops."""
        if self.levels > 1:
            raise LoopControl(self.levels - 1, resume=self.resume)
        return self.resume


class ReturnFromFunction(_WithStatus):
    """`return`."""


class CommandError(Exception):
    """A command failed. `message` goes to standard error after its name. A `fatal` error of a builtin ends the shell."""

    def __init__(self, message: str, status: int = 1, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.fatal = fatal
