"""Marks for left-out code, such as `# ... existing code ...`. The table below holds the only words that are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from ..model import TOLERANT, Edit, Hunk, join_lines
from ..syntax.languages import PYTHON_DEFINITION, comment_text

_LEFT_OUT = {
    "en": "existing rest remaining remainder unchanged same stays stay remains remain omitted previous original other",
    "de": "bestehender bestehende vorhandener restlicher restliche rest unverändert bleibt gleich",
    "fr": "existant existante reste inchangé identique",
    "es": "existente resto cambios igual",
    "pt": "existente restante inalterado",
    "ru": "существующий остальной остальная остальное изменений",
    "zh": "现有 其余 不变 原有 保持 省略 其他",
    "ja": "既存 残り 変更なし そのまま 省略 同じ",
    "ko": "기존 나머지 동일",
}
# Words that may be beside those, in a mark that says nothing else.
_FILLERS = """
    the of code file function functions method methods class classes component module import imports test tests here is
    are as goes before implementation logic body content your all this in no changes keep
    der die das des von wie le la les du de del sin código без код 代码 代碼 的 コード の は 코드
"""
_DOTS = re.compile(r"\.{3,}|…")
_FEW_WORDS = 8  # that may follow dots
_LONGEST = 200  # characters: nobody writes a longer mark
# Where dots alone on a line are code, or end a document.
_DOTS_ARE_CODE = (".py", ".pyi", ".pyx", ".yml", ".yaml", ".pl", ".pm", ".raku")
_FOR_PEOPLE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".text")
_PYTHON_HEADER = re.compile(r"\s*" + PYTHON_DEFINITION)
# Lines of dots may be marks or text of the file: only an equal text decides.
_TO_THE_LETTER = TOLERANT._replace(levels=("exact", "trailing space", "indentation"), readings=())


def _any_of(words: list[str]) -> re.Pattern[str]:
    """Match any of the words; those in scripts without spaces also inside others."""
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in longest_first))


@lru_cache(maxsize=256)
def _says_so(text: str) -> bool:
    """Return True if a text says that code is left out, and nothing else."""
    kept, known = _patterns()
    return kept.search(text) is not None and not re.search(r"\w", known.sub(" ", text))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for the words that say so, and for those with their fillers; compiled when they are needed."""
    kept = " ".join(_LEFT_OUT.values())
    return _any_of(kept.split()), _any_of(f"{kept} {_FILLERS}".split())


def is_mark(line: str) -> bool:
    """Return True if a line is only dots, or a comment that begins with dots or says that code is left out.

    Without comment signs a line is a mark if it has dots and says so: `... existing code ...`, not `...rest`.
    """
    if len(line) > _LONGEST:
        return False
    comment = comment_text(line)
    if comment is None and "..." not in line and "…" not in line:
        return False
    text = (line if comment is None else comment).strip(" \t()[]{}<>*-=").lower()
    if comment is None:
        if _DOTS.fullmatch(text):
            return True
        return re.search(r"^(?:\.{3,}|…) |(?:\.{3,}|…)$", text) is not None and _says_so(text)
    # A sentence that goes on from the line above, `// ... but only if there is no word boundary.`, isn't a mark.
    is_short = len(text.split()) <= _FEW_WORDS or bool(_DOTS.search(text[-4:]))
    return (bool(_DOTS.match(text)) and is_short) or _says_so(text)


def is_dots(line: str) -> bool:
    """Return True if a line is only dots, three or more."""
    bare = line.strip()
    return not bare.strip(".…") and len(bare.replace("…", "...")) >= 3


def marks_in(path: str, body: Sequence[str]) -> list[int]:
    """Return the rows of a text that are marks; bare dots aren't in languages where they are code."""
    keeps_dots = path.lower().endswith(_DOTS_ARE_CODE)
    return [row for row, line in enumerate(body) if is_mark(line) and not (keeps_dots and is_dots(line))]


def may_hold_marks(text: str) -> bool:
    """Return False only if no line of a text is a mark; cheap."""
    return any(map(text.__contains__, ("...", "…"))) or _patterns()[0].search(text.lower()) is not None


def is_for_people(path: str) -> bool:
    """Return True if a file is text for people, by its name."""
    name = path.lower().rpartition("/")[2]
    return name.endswith(_FOR_PEOPLE) and not name.startswith(("cmakelists", "requirements"))


def cut_at_marks(path: str, old: list[str], new: list[str], whole: Hunk) -> Edit | None:
    """Return the edit of a text if both sides leave out code, as often as each other; None for any other.

    def total(self):          becomes      def total(self, tax):      and the lines between stay; unless the dots are
        ...                                    ...                    in the file, where all of it is text (`whole`)
        return price                           return price + tax
    """
    first, second = ([row for row, line in enumerate(side) if _is_gap(path, line)] for side in (old, new))
    if not first or len(first) != len(second):
        return None
    hunks = []
    for a, b in zip(_cut(old, first), _cut(new, second), strict=True):
        # Blank lines beside a mark say nothing about where lines are added.
        kept = a if a == b or any(map(str.strip, a)) else []
        if kept or b:
            hunks.append(Hunk(join_lines(kept), join_lines(b), TOLERANT, patch_line=whole.patch_line))
    return Edit(path, tuple(hunks), whole.patch_line, whole=whole._replace(policy=_TO_THE_LETTER))


def _is_gap(path: str, line: str) -> bool:
    return is_mark(line) and not (path.endswith(".pyi") and is_dots(line))


def _cut(lines: list[str], cuts: list[int]) -> list[list[str]]:
    starts = [0, *(at + 1 for at in cuts)]
    return [lines[start:end] for start, end in zip(starts, [*cuts, len(lines)], strict=True)]


# ── marks in a sketch of a file ──────────────────────────────────────────────────────────────────


class KnownLines:
    """The lines of a file that would be marks in a sketch, each with the line above, and its names of functions."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.pairs = {(lines[row - 1].strip() if row else "", line.strip()) for row, line in enumerate(lines)}
        self.names = {match["name"] for line in lines if (match := _PYTHON_HEADER.match(line))}


def find_marks(body: Sequence[str], lines: Sequence[str]) -> frozenset[int]:
    """Find the rows of a sketch that are marks for code left out of a file with these lines.

    What the file itself has there isn't one, nor is the body of a new Python function:

        def close(self) -> None:
            ...
    """
    return unknown_marks(body, KnownLines(lines)) if any(map(is_mark, body)) else frozenset()


def unknown_marks(body: Sequence[str], known: KnownLines) -> frozenset[int]:
    """Find the marks in a sketch for a file whose lines are indexed already."""
    return frozenset(
        row
        for row, line in enumerate(body)
        if is_mark(line)
        and (body[row - 1].strip() if row else "", line.strip()) not in known.pairs
        and not _is_new_stub(body, row, known.names)
    )


def _is_new_stub(body: Sequence[str], row: int, names: set[str]) -> bool:
    """Return True if `...` is the whole body of a function that the file doesn't have."""
    header = _PYTHON_HEADER.match(body[row - 1]) if row and body[row].strip() == "..." else None
    return bool(header and body[row - 1].rstrip().endswith(":") and header["name"] not in names)


def says_left_out(line: str) -> bool:
    """Return True if a line can only be a mark: a comment. Bare dots are code in Python."""
    return is_mark(line) and not is_dots(line)
