"""The syntax tree of a shell script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

RESERVED_WORDS = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "case", "esac", "{", "}", "!", "[[")
)


class ShellSyntaxError(Exception):
    """The script is invalid; the message is mksh's. If `incomplete`, the next line may complete it."""

    def __init__(self, message: str, *, incomplete: bool = False) -> None:
        super().__init__(message)
        self.incomplete = incomplete


@dataclass(frozen=True, slots=True)
class Literal:
    """Text. Unquoted text may contain glob characters."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name<op>argument}`; `op` is empty, `length`, or one of :- - := = :+ + :? ? # ## % %%."""

    name: str
    quoted: bool
    op: str = ""
    argument: Word = ()


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(source)`: the output of a script, without its trailing newlines."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((expression))`."""

    expression: Word
    quoted: bool


Part: TypeAlias = Literal | Parameter | Substitution | Arithmetic
Word: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """`[fd]op target`; op is one of < > >> <& >& &> <<; the target of `<<` is the here document's text."""

    fd: int
    op: str
    target: Word


Redirects: TypeAlias = tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, then a command with its arguments."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`, which run in parallel. `! …` negates the status of the last one."""

    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """Pipelines joined by `&&` and `||`; the first operator is always `&&`."""

    pipelines: tuple[tuple[str, Pipeline], ...]
    background: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """A list of and-or lists."""

    items: tuple[AndOr, ...]


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """`( … )` as a subshell, or `{ …; }`."""

    body: Script
    subshell: bool
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class If:
    """`if … then … elif … else … fi`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """`while … do … done`; `until` negates the condition."""

    condition: Script
    body: Script
    until: bool
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words; do … done`; without `in`, over the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class Case:
    """`case word in pattern|pattern) … ;; esac`."""

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Script], ...]
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class Conditional:
    """`[[ … ]]`: words, and the operators `&& || ( ) < >` as text."""

    tokens: tuple[Word | str, ...]
    redirects: Redirects = ()


@dataclass(frozen=True, slots=True)
class Function:
    """`name() command`."""

    name: str
    body: Command
    redirects: Redirects = ()


Compound: TypeAlias = CommandGroup | If | Loop | For | Case | Conditional
Command: TypeAlias = Simple | Function | Compound
