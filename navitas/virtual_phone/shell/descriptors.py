"""The open file descriptors of a shell."""

from __future__ import annotations

from navitas.virtual_phone.shell.streams import DISCARD, BytesSource, Input, Sink


class Streams:
    """A shell's open file descriptors. `exec` changes them in place; a command with redirections has a copy."""

    def __init__(self, stdin: Input, stdout: Sink, stderr: Sink) -> None:
        self._inputs: dict[int, Input] = {0: stdin}
        self._outputs: dict[int, Sink] = {1: stdout, 2: stderr}

    @property
    def stdin(self) -> Input:
        return self._inputs.get(0) or Input(BytesSource())

    @property
    def stdout(self) -> Sink:
        return self._outputs.get(1) or DISCARD

    @property
    def stderr(self) -> Sink:
        return self._outputs.get(2) or DISCARD

    def input(self, fd: int) -> Input | None:
        """Return the input of a descriptor."""
        return self._inputs.get(fd)

    def copy(self, *, stdin: Input | None = None, stdout: Sink | None = None) -> Streams:
        """Return the same descriptors with another input or output."""
        same = Streams(stdin or self.stdin, stdout or self.stdout, self.stderr)
        same._inputs = {**self._inputs, **({0: stdin} if stdin else {})}
        same._outputs = {**self._outputs, **({1: stdout} if stdout else {})}
        return same

    def open_input(self, fd: int, source: Input) -> None:
        """Make a descriptor read from `source`."""
        self._inputs[fd] = source

    def open_output(self, fd: int, sink: Sink) -> None:
        """Make a descriptor write to `sink`."""
        self._outputs[fd] = sink

    def close(self, fd: int) -> None:
        """Close a descriptor. Reads then return the end, and writes are dropped."""
        self._inputs.pop(fd, None)
        self._outputs.pop(fd, None)

    def duplicate(self, fd: int, source_fd: int) -> bool:
        """Make a descriptor a duplicate of another. Returns False if that one is closed."""
        source, sink = self._inputs.get(source_fd), self._outputs.get(source_fd)
        if source is None and sink is None:
            return False
        self.close(fd)
        if source is not None:
            self._inputs[fd] = source
        if sink is not None:
            self._outputs[fd] = sink
        return True
