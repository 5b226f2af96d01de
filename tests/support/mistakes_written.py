"""Hunks as a model thinks of them, and each format as a model writes them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import NamedTuple

Lines = list[tuple[str, str]]


class Piece(NamedTuple):
    """A hunk: lines with their tags, the number of its first line, the heading above it."""

    lines: Lines
    line: int
    heading: str

    @property
    def old(self) -> list[str]:
        return [text for tag, text in self.lines if tag != "+"]

    @property
    def new(self) -> list[str]:
        return [text for tag, text in self.lines if tag != "-"]


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def pads(lines: list[str]) -> set[str]:
    return {indent_of(line) for line in lines if line.strip()}


def begin_patch(path: str, pieces: list[Piece], rng: random.Random) -> str:
    headed = rng.random() < 0.3
    text = f"*** Begin Patch\n*** Update File: {path}\n"
    for piece in pieces:
        text += f"@@ {piece.heading}".rstrip() + "\n" if headed else "@@\n"
        text += "".join(f"{tag}{line}\n" for tag, line in piece.lines)
    return text + "*** End Patch\n"


def unified(path: str, pieces: list[Piece], rng: random.Random) -> str:
    text, drift = f"--- a/{path}\n+++ b/{path}\n", 0
    for piece in pieces:
        old, new = len(piece.old), len(piece.new)
        text += f"@@ -{piece.line},{old} +{piece.line + drift},{new} @@{' ' + piece.heading if piece.heading else ''}\n"
        text += "".join(f"{tag}{line}\n" for tag, line in piece.lines)
        drift += new - old
    return text


def search_replace(path: str, pieces: list[Piece], rng: random.Random) -> str:
    blocks = (f"<<<<<<< SEARCH\n{block(piece.old)}=======\n{block(piece.new)}>>>>>>> REPLACE\n" for piece in pieces)
    return path + "\n" + "\n".join(blocks)


def json_edits(path: str, pieces: list[Piece], rng: random.Random) -> str:
    edits = [{"old_string": "\n".join(piece.old), "new_string": "\n".join(piece.new)} for piece in pieces]
    if rng.random() < 0.5:
        return json.dumps({"file_path": path, "edits": edits}, ensure_ascii=False, indent=1) + "\n"
    return json.dumps([{"file_path": path, **edit} for edit in edits], ensure_ascii=False, indent=1) + "\n"


def chunk(path: str, pieces: list[Piece], rng: random.Random) -> str:
    text = "operations:\n"
    for piece in pieces:
        text += f"  - path: {path}\n    op: replace_text\n"
        first = len(indent_of(next(line for line in piece.old if line.strip())))
        for key, lines in (("marker", piece.old), ("payload", piece.new)):
            body = [line[first:] if aligned(piece) else line for line in lines]
            text += f"    {key}: {'|-' if aligned(piece) and starts_flush(body) else '|2-'}\n"
            text += block(["      " + line if line.strip(" \t") else "" for line in body])
        text += "" if aligned(piece) else "    options:\n      indent: none\n"
    return text


def aligned(piece: Piece) -> bool:
    """Return True if the first old line is the outermost, so that CHUNK's own alignment suffices."""
    first = indent_of(next(line for line in piece.old if line.strip()))
    return all(pad.startswith(first) for pad in pads([text for _, text in piece.lines]))


def starts_flush(lines: list[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return bool(first) and not indent_of(first)


def block(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


Writer = Callable[[str, list[Piece], random.Random], str]
# How each format is written, and how many lines of context models give.
HANDS: dict[str, tuple[Writer, tuple[int, ...]]] = {
    "begin-patch": (begin_patch, (1, 2, 3)),
    "unified": (unified, (3,)),
    "search-replace": (search_replace, (1, 2)),
    "json-edits": (json_edits, (1, 2)),
    "chunk": (chunk, (1, 2)),
}
