"""`#if … #elif … #else … #endif`: which branches of a text count. Reads masked text; evaluates nothing but 0 and 1."""

from __future__ import annotations

from itertools import pairwise

from .forms import pattern

_DIRECTIVE = r"#[ \t]*+(?:(if)(?:def|ndef)?\b|(elif\w*|elseif|else)\b|(endif)\b)([^\n]*+)"


def one_branch(masked: str, keep: int, last: bool) -> str:
    """The text with all but one branch of each conditional blotted out; same length.

    The branch around offset `keep` counts, elsewhere the first or the last one; `#if 0` never, `#if 1` always.
    """
    pieces = []
    position = 0
    for start, end in sorted(_dropped(masked, keep, last)):
        if end > position:
            begin = max(start, position)
            pieces += [masked[position:begin], "\n".join([" " * len(s) for s in masked[begin:end].split("\n")])]
            position = end
    return "".join([*pieces, masked[position:]])


def branches(masked: str) -> bool:
    """Whether any conditional has a second branch."""
    return any(turn == "else" for turn, *_ in _directives(masked))


def torn(masked: str) -> tuple[str, ...]:
    """The directives of a piece of text whose conditional lies partly outside of it, in order."""
    left: list[str] = []
    ifs: list[int] = []
    for turn, *_ in _directives(masked):
        if turn == "endif" and ifs:
            del left[ifs.pop() :]
            continue
        if turn == "if":
            ifs.append(len(left))
        left.append(turn)
    return tuple(left)


def _directives(masked: str) -> list[tuple[str, int, str]]:
    if "#" not in masked:
        return []
    found = []
    for match in pattern(_DIRECTIVE).finditer(masked):
        if not masked[masked.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t"):
            turn = "if" if match.group(1) else "else" if match.group(2) else "endif"
            found.append((turn, match.start(), match.group(4).strip()))
    return found


def _dropped(masked: str, keep: int, last: bool) -> list[tuple[int, int]]:
    dropped: list[tuple[int, int]] = []
    stack: list[tuple[list[int], str]] = []
    for turn, start, condition in _directives(masked):
        if turn == "if":
            stack.append(([start], condition))
        elif turn == "else":
            # a payload may begin inside a conditional: what stands before the first #else is then its branch
            stack = stack or [([0], "")]
            stack[-1][0].append(start)
        elif stack:
            dropped += _others(*stack.pop(), start, keep, last)
    for starts, condition in stack:
        dropped += _others(starts, condition, len(masked), keep, last)
    return dropped


def _others(starts: list[int], condition: str, end: int, keep: int, last: bool) -> list[tuple[int, int]]:
    edges = [*starts, end]
    spans = list(pairwise(edges))
    around = [number for number, (start, stop) in enumerate(spans) if start <= keep < stop]
    if around:
        chosen = around[0]
    elif condition == "0":
        chosen = 1
    else:
        chosen = len(spans) - 1 if last and condition != "1" else 0
    return [span for number, span in enumerate(spans) if number != chosen]
