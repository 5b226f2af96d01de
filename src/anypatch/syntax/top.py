"""The top of a file: the lines that nothing may go above (shebang, licence, `package`). Lines are read, no grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .languages import suffix_of

# What only works as the first thing of a file.
FIRST = ("shebang", "coding", "opening", "front matter")

_KINDS = (
    ("coding", "", r"#.{0,40}?(?:coding[:=]|frozen_string_literal:|typed: |syntax=docker|escape=)|// swift-tools"),
    ("opening", "", r"<\?(?:php|xml|=|$)|<!doctype\b|@charset\b|%YAML\b|%TAG\b|@echo off"),
    ("package", "go java kt kts scala sc groovy gradle proto pl pm as", r"package\s"),
    ("package", "proto", r"(?:syntax|edition)\s*="),
    ("package", "php", r"declare\s*\(|namespace\s"),
    ("package", "sol", r"pragma\s"),
    ("package", "hs lhs elm erl hrl dart", r"module\s|port module\s|-module\(|library\s|\{-#"),
    ("package", "kt kts", r"@file:"),
    ("future", "py pyi pyw pyx", r"from\s+__future__\s+import\b"),
    ("guard", "h hh hpp hxx h++ inl ipp c cc cpp cxx m mm cu cuh", r"#\s*pragma\s+once"),
    ("directive", "js jsx mjs cjs ts tsx mts cts vue svelte", r"""(["'])use [a-z ]+\1\s*;?\s*(?://.*)?$"""),
    ("directive", "rs", r"#!\["),
    ("directive", "cs", r"#nullable\b"),
    ("directive", "yaml yml", r"---(?:\s|$)"),
)
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx|\(c\)|©|all rights reserved", re.IGNORECASE)
# Comments that programs obey in the whole file.
_OBEYED = re.compile(
    r"go:build|\+build\b|@ts-(?:no)?check|@flow\b|eslint-(?:disable|env)(?!-)|@jest-environment|@vitest|<reference |"
    r"-\*-|vim?:|pylint:|mypy:|(?:flake8|ruff): |/// script|@jsx|rubocop:|swiftlint:|clang-format off"
)
_LONGEST = 60  # lines of a statement
_HEADED = ("md", "mdx", "markdown", "rst", "txt", "adoc", "org")  # in these `#` is no comment
_BLOCKS = (("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"), ("--[[", "]]"), ("=begin", "=end"))
_LINES = ("//", "#", "--", ";", "%", "rem ", "REM ", "' ", "!")


class Piece(NamedTuple):
    """Rows start..end at the top of a file, of one kind; `licence`: a comment that holds one."""

    kind: str
    start: int
    end: int
    licence: bool = False


def top_of(lines: Sequence[str], path: str) -> list[Piece]:
    """The pieces at the top that nothing goes above. A comment is one if it doesn't belong to the code right below."""
    suffix = suffix_of(path)
    pieces: list[Piece] = []
    kept = row = 0
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        piece = _piece(lines, row, suffix)
        if piece is None:
            break
        pieces.append(piece)
        row = piece.end
        blank = row < len(lines) and not lines[row].strip()
        header = blank and not any(other.kind == "comment" for other in pieces[:-1])
        if piece.kind != "comment" or piece.licence or header:
            kept = len(pieces)
    return pieces[:kept]


def _piece(lines: Sequence[str], row: int, suffix: str) -> Piece | None:
    bare = lines[row].strip()
    if row == 0 and bare.startswith("#!") and not bare.startswith("#!["):
        return Piece("shebang", 0, 1)
    if row == 0 and bare in ("---", "+++") and suffix not in ("yaml", "yml", "diff", "patch"):
        end = next((at + 1 for at in range(1, len(lines)) if lines[at].strip() == bare), 0)
        return Piece("front matter", 0, end) if end else None
    for kind, suffixes, pattern in _KINDS:
        if (not suffixes or suffix in suffixes.split()) and re.match(pattern, bare, re.IGNORECASE):
            return Piece(kind, row, _statement_end(lines, row))
    below = lines[row + 1].split() if row + 1 < len(lines) else []
    guard = ["#define", *re.findall(r"\w+", bare)[-1:]]
    if bare.startswith(("#ifndef ", "#if !defined")) and below[:2] == guard:
        return Piece("guard", row, row + 2)
    if suffix in ("py", "pyi", "pyw", "pyx") and bare.lstrip("rRuUbB")[:1] in ('"', "'"):
        return Piece("docstring", row, _string_end(lines, row, bare.lstrip("rRuUbB")))
    return _comment(lines, row, suffix)


def _statement_end(lines: Sequence[str], row: int, openers: str = "([", closers: str = ")]") -> int:
    """The row behind a statement: brackets that it opens are closed in it. PHP's `namespace A {` is one line."""
    level = 0
    for at in range(row, min(row + _LONGEST, len(lines))):
        level += sum((sign in openers) - (sign in closers) for sign in lines[at])
        if level <= 0:
            return at + 1
    return row + 1


def _string_end(lines: Sequence[str], row: int, bare: str) -> int:
    sign = bare[:3] if bare[:3] in ('"""', "'''") else ""
    if not sign or bare.find(sign, 3) >= 0:
        return row + 1
    return next((at + 1 for at in range(row + 1, len(lines)) if sign in lines[at]), row + 1)


def _comment(lines: Sequence[str], row: int, suffix: str) -> Piece | None:
    """The comment that begins at a row: a block, or lines one below the other."""
    bare = lines[row].strip()
    end = row
    for opener, closer in _BLOCKS:
        if bare.startswith(opener):
            at = next((at for at in range(row, len(lines)) if closer in lines[at][(at == row) * len(opener) :]), -1)
            if at < 0 or lines[at].strip().partition(closer)[2].strip():
                return None
            end = at + 1
            break
    else:
        while (
            end < len(lines)
            and suffix not in _HEADED
            and _is_line(lines[end].strip())
            and (end == row or not re.match(_KINDS[0][2], lines[end].strip(), re.IGNORECASE))
        ):
            end += 1
    if end == row:
        return None
    text = "\n".join(lines[row:end])
    return Piece("comment", row, end, bool(_LICENCE.search(text) or _OBEYED.search(text)))


def _is_line(bare: str) -> bool:
    """Whether a line is a comment: not `#include`, `#main {`, `#[derive]`, `--x: 1`."""
    if not bare.startswith(_LINES):
        return False
    behind = bare[2:3] if bare.startswith("--") else bare[1:2]
    return bare[0] in "/rR'" or not (behind.isalnum() or behind in ("!", "["))
