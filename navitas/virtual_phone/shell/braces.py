"""Brace expansion: `a{b,c}d` becomes `abd acd`. It precedes all other expansions."""

from __future__ import annotations

from navitas.virtual_phone.shell.syntax import Literal, Part, Word

_MAX_WORDS, _MAX_PIECES = 10_000, 500
_Piece = Part | str
"""A part of a word, or one unquoted character of `{`, `,` and `}`."""


def expand_braces(word: Word) -> list[Word]:
    """Return the words that a word expands to; usually only itself."""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in word):
        return [word]
    pieces = _pieces(word)
    return [_joined(expanded) for expanded in _expand(pieces)] if len(pieces) <= _MAX_PIECES else [word]


def _pieces(word: Word) -> list[_Piece]:
    pieces: list[_Piece] = []
    for part in word:
        if not isinstance(part, Literal) or part.quoted:
            pieces.append(part)
            continue
        text = ""
        for char in part.text:
            if char in "{,}":
                pieces += [Literal(text, quoted=False), char] if text else [char]
                text = ""
            else:
                text += char
        pieces += [Literal(text, quoted=False)] if text else []
    return pieces


def _expand(pieces: list[_Piece]) -> list[list[_Piece]]:
    group = _first_group(pieces)
    if group is None:
        return [pieces]
    start, alternatives, end = group
    rests = _expand(pieces[end:])
    middles = [middle for alternative in alternatives for middle in _expand(alternative)]
    if len(middles) * len(rests) > _MAX_WORDS:
        return [pieces]
    return [[*pieces[:start], *middle, *rest] for middle in middles for rest in rests]


def _first_group(pieces: list[_Piece]) -> tuple[int, list[list[_Piece]], int] | None:
    """Return the start of the first `{…,…}`, its alternatives, and its end; None if there is none."""
    for start, piece in enumerate(pieces):
        if piece != "{":
            continue
        depth = 0
        alternatives: list[list[_Piece]] = [[]]
        for at in range(start + 1, len(pieces)):
            inner = pieces[at]
            if inner == "}" and depth == 0:
                if len(alternatives) > 1:
                    return start, alternatives, at + 1
                break
            if inner == "," and depth == 0:
                alternatives.append([])
                continue
            depth += (inner == "{") - (inner == "}")
            alternatives[-1].append(inner)
    return None


def _joined(pieces: list[_Piece]) -> Word:
    parts: list[Part] = []
    for piece in pieces:
        part = Literal(piece, quoted=False) if isinstance(piece, str) else piece
        last = parts[-1] if parts else None
        if isinstance(part, Literal) and isinstance(last, Literal) and part.quoted == last.quoted:
            parts[-1] = Literal(last.text + part.text, part.quoted)
        else:
            parts.append(part)
    return tuple(parts)
