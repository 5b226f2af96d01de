"""Makes docs/demo.svg: an answer and the diff that becomes of it, side by side. `--check` tells whether it is current.

The diff is that of a review, and the last lines are what the program says on a terminal of its own (tools/terminal.py).
"""

from __future__ import annotations

import re
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parent.parent
sys.path.insert(0, str(TOP / "tools"))
from snippets import Reader  # noqa: E402 - beside this file
from terminal import shown  # noqa: E402

from anypatch import Review, review  # noqa: E402
from anypatch.report.words import line_counts  # noqa: E402

PICTURE = TOP / "docs" / "demo.svg"
COLUMNS = 80
WIDTH, HEIGHT = 8.4, 19  # of a character
COLOURS = {
    30: "#5c6370", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea",
    37: "#e6edf3", 90: "#8b949e", 91: "#ffa198", 92: "#7ee787", 93: "#f2cc60", 94: "#a5d6ff", 95: "#e2c5ff",
    96: "#b3f0ff", 97: "#ffffff",
}  # fmt: skip

ANSWER = """\
In `cart.py`, sum them up:

```python
def total(self):
    return sum(self.items)
```

tax.py
<<<<<<< SEARCH
return price * 0.19
=======
return price * RATE
>>>>>>> REPLACE
"""
FILES = {
    "cart.py": """\
class Cart:
    def total(self):
        sum = 0
        for item in self.items:
            sum += item
        return sum
""",
    "tax.py": """\
RATE = 0.21

def tax(price):
    return price * 0.19
""",
}
STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1c2128; }
.head { font: 600 13px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; } .head, .dim { fill: #57606a; }
.page { fill: #ffffff; } .panel { fill: #f4f6f8; } .add { fill: #dff3e4; } .del { fill: #fde6e3; }
.plus { fill: #14622f; } .minus { fill: #a11b1b; } .bar { fill: #2c8a57; }
.way { stroke: #2c8a57; stroke-width: 1.5; fill: none; } .strong { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #dde2e8; } .head, .dim { fill: #9aa4af; } .page { fill: #14171b; } .panel { fill: #1d2127; }
  .add { fill: #16331f; } .del { fill: #3a1d1f; } .plus { fill: #6fcf8e; } .minus { fill: #f29a94; }
}
"""
LEFT, RIGHT = 27, 33  # columns of the answer and of the diff: few, for a phone shows the picture 360 pixels wide
ROW, EDGE, GAP = 20, 10, 26


class Style(NamedTuple):
    """How the terminal writes at the moment."""

    colour: str = ""
    bold: bool = False
    dim: bool = False

    def after(self, codes: str) -> Style:
        """The style after an escape sequence of these codes, as in 1;32."""
        style = self
        for code in map(int, (codes or "0").split(";")):
            if code == 0:
                style = Style()
            elif code in (1, 2, 22):
                style = style._replace(bold=code == 1, dim=code == 2)
            elif code in COLOURS or code == 39:
                style = style._replace(colour=COLOURS.get(code, ""))
        return style

    def attributes(self) -> str:
        told = f' fill="{self.colour}"' if self.colour else ""
        return told + (' font-weight="bold"' if self.bold else "") + (' opacity="0.6"' if self.dim else "")


def spans(text: str) -> list[list[tuple[Style, str]]]:
    """Lines of a terminal as pieces of one style each; a long one goes on in the next row, as there."""
    style, lines = Style(), []
    for line in text.rstrip("\n").split("\n"):
        pieces: list[tuple[Style, str]] = []
        room = COLUMNS
        for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z])", line):
            if piece.startswith("\x1b"):
                style = style.after(piece[2:-1]) if piece.endswith("m") else style
                continue
            while piece[room:]:
                lines.append([*pieces, (style, piece[:room])])
                piece, pieces, room = piece[room:], [], COLUMNS  # noqa: PLW2901
            pieces.append((style, piece))
            room -= len(piece)
        lines.append(pieces)
    return lines


def terminal_svg(text: str, title: str) -> str:
    """A terminal as an SVG, as wide as its text. Each piece has its width set: columns stay columns in any font."""
    lines = spans(text)
    columns = max(sum(len(piece) for _, piece in pieces) for pieces in lines)
    width, height = columns * WIDTH + 32, len(lines) * HEIGHT + 58
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height}" rx="10" fill="#0d1117"/>',
        *(
            f'<circle cx="{22 + 20 * n}" cy="20" r="6" fill="{c}"/>'
            for n, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ),
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14"'
        ' fill="#e6edf3">',
    ]
    for row, pieces in enumerate(lines):
        column = 0
        for style, piece in pieces:
            inner = piece.strip(" ")
            if inner:
                x, y = 16 + (column + len(piece) - len(piece.lstrip(" "))) * WIDTH, 54 + row * HEIGHT
                place = f'x="{x:.1f}" y="{y}" textLength="{len(inner) * WIDTH:.1f}"'
                inner = escape(inner, quote=False).replace("  ", "\u00a0\u00a0")  # plain ones are drawn as one
                parts.append(f"<text {place}{style.attributes()}>{inner}</text>")
            column += len(piece)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def picture() -> str:
    """An answer, the diff that the engine makes of it beside it, and what the program says of applying it."""
    with tempfile.TemporaryDirectory() as scratch:
        reader = Reader(Path(scratch).resolve())
        for name, text in {**FILES, "answer.md": ANSWER}.items():
            (reader.folder / name).write_text(text)
        looked_at = review(ANSWER, reader.folder)
        environment = reader.environment | {"TERM": "dumb"}
        said = shown("anypatch answer.md", reader.folder, environment, typed="y\n", columns=LEFT + RIGHT)
    return _drawn(looked_at, ["$ anypatch answer.md", *said[said.index("Apply this?") :].splitlines()])


def _drawn(looked_at: Review, said: list[str]) -> str:
    rows = _diff_rows(looked_at)
    lines = ANSWER.splitlines()
    middle = EDGE + LEFT * WIDTH + 2 * EDGE
    width = middle + GAP + RIGHT * WIDTH + 2 * EDGE
    top, height = 40, 40 + max(len(lines), len(rows)) * ROW + 14
    full = height + len(said) * ROW + 22
    right = middle + GAP
    parts = [
        _box("page", 0, 0, width, full, 10), _box("panel", EDGE, top - 6, middle - EDGE, height - top + 2, 6),
        _box("panel", right - EDGE / 2, top - 6, width - right - EDGE / 2, height - top + 2, 6),
        f'<text class="head" x="{EDGE + 4}" y="22">the answer</text>',
        f'<text class="head" x="{right}" y="22">your files</text>',
    ]  # fmt: skip
    for block in looked_at.blocks:
        y = top + (block.first - 1) * ROW
        parts.append(_box("bar", EDGE, y + 1, 3, (block.last - block.first + 1) * ROW - 2, 1))
        first = next(at for at, row in enumerate(rows) if row.edit in block.edits)
        start, end = y + ROW / 2, top + first * ROW + ROW / 2
        points = (middle, start, middle + GAP / 2, start, middle + GAP / 4, end, right - EDGE / 2, end)
        way = "M{:g} {:g} C{:g} {:g} {:g} {:g} {:g} {:g}".format(*points)
        parts.append(f'<path class="way" d="{way}"/>')
    parts += [
        _text(EDGE + 10, top + at * ROW, line, "dim" if line.startswith("```") else "") for at, line in enumerate(lines)
    ]
    for at, row in enumerate(rows):
        if row.background:
            parts.append(_box(row.background, right - EDGE / 2, top + at * ROW, width - right - EDGE / 2, ROW))
        parts.append(_text(right, top + at * ROW, row.text, row.style))
    parts += [
        _text(EDGE + 4, height + 8 + at * ROW, line, "strong" if not at else "dim") for at, line in enumerate(said)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {full:g}" width="{width:g}" role="img">'
    title = "An answer on the left, on the right the diff of two files that anypatch makes of it"
    return "\n".join([head, f"<title>{title}</title>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])


class Row(NamedTuple):
    """A row of the right half. `edit` is the number of the edit that a hunk's first row belongs to, else 0."""

    text: str
    style: str = ""
    background: str = ""
    edit: int = 0


def _diff_rows(looked_at: Review) -> list[Row]:
    """Return the diffs of the files, in the order of the answer."""
    rows: list[Row] = []
    blocks = {edit.number: edit.block for edit in looked_at.edits}
    for file in sorted(looked_at.files, key=lambda file: blocks[file.hunks[0].edit]):
        added, removed = line_counts(file.change)
        rows += [Row("")] * bool(rows)
        rows.append(Row(f"{file.path}  +{added} −{removed}", "strong"))
        for hunk in file.hunks:
            known = {" ": ("", ""), "-": ("minus", "del"), "+": ("plus", "add")}
            new = [Row(f"{line.sign}{line.text}", *known[line.sign]) for line in hunk.lines]
            rows += [new[0]._replace(edit=hunk.edit), *new[1:]]
    return rows


def _box(style: str, x: float, y: float, width: float, height: float, radius: float = 0) -> str:
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>'


def _text(x: float, y: float, text: str, style: str = "") -> str:
    """Return a line of code, as wide in any font."""
    inner = text.strip(" ")
    if not inner:
        return ""
    x += (len(text) - len(text.lstrip(" "))) * WIDTH
    code = escape(inner, quote=False).replace("  ", "\u00a0\u00a0")
    name = f' class="{style}"' if style else ""
    return f'<text{name} x="{x:.1f}" y="{y + 14.5:g}" textLength="{len(inner) * WIDTH:.1f}">{code}</text>'


def main() -> int:
    made = picture()
    current = PICTURE.is_file() and PICTURE.read_text() == made
    if "--check" in sys.argv:
        print("up to date" if current else "run `make docs`: demo.svg")
        return 0 if current else 1
    PICTURE.write_text(made)
    print(f"wrote {PICTURE.relative_to(TOP)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
