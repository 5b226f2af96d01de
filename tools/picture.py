"""Makes docs/demo.svg: what `make demo` shows, as a picture of the terminal. `--check` tells whether it is current.

The demo runs in a terminal of its own (tools/terminal.py); the picture is made of what it printed, colours included.
Receipts have other IDs in each run; the picture has made-up ones.
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

PICTURE = TOP / "docs" / "demo.svg"
COLUMNS = 80
WIDTH, HEIGHT = 8.4, 19  # of a character
COLOURS = {
    30: "#5c6370", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea",
    37: "#e6edf3", 90: "#8b949e", 91: "#ffa198", 92: "#7ee787", 93: "#f2cc60", 94: "#a5d6ff", 95: "#e2c5ff",
    96: "#b3f0ff", 97: "#ffffff",
}  # fmt: skip


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
    """A terminal as an SVG. Each piece has its width set, so that columns stay columns in any font."""
    lines = spans(text)
    width, height = COLUMNS * WIDTH + 32, len(lines) * HEIGHT + 58
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
    """The demo as it runs now."""
    with tempfile.TemporaryDirectory() as scratch:
        reader = Reader(Path(scratch).resolve())
        environment = {name: value for name, value in reader.environment.items() if name != "NO_COLOR"}
        environment["TERM"] = "xterm-256color"
        command = f"sh {TOP / 'examples' / 'demo.sh'} anypatch"
        text = reader.known(shown(command, reader.folder, environment, columns=COLUMNS))
        if not text.endswith("every byte of demo/ is as it was\n"):
            raise RuntimeError(f"the demo didn't finish:\n{text}")
        return terminal_svg(text, "anypatch in a terminal: an answer applied, a refusal, its correction, undo")


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
