"""Draws the pictures in docs/assets/ from what the pages say, so that they agree. `--check`: are they current?

comparison.svg   the table of docs/comparison.md as a coloured grid
everyday.svg     the times of docs/benchmarks.md beside each other
tokens.svg       its tokens as bars
pipeline.svg     the way of an answer, for docs/concepts.md
refusal.svg      the refusal that docs/concepts.md explains, on a terminal
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

TOP = Path(__file__).parent.parent
sys.path.insert(0, str(TOP / "tools"))
import snippets  # noqa: E402 - beside this file
from picture import terminal_svg  # noqa: E402
from terminal import shown  # noqa: E402

DOCS = TOP / "docs"
ASSETS = DOCS / "assets"
STYLE = """
text { font: 13px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: #1c2128; }
.page { fill: #ffffff; } .dim { fill: #57606a; } .strong { font-weight: 600; } .middle { text-anchor: middle; }
.end { text-anchor: end; } .small { font-size: 11px; } .box { fill: #f1f4f8; stroke: #c9d1d9; }
.arrow { stroke: #8b949e; stroke-width: 1.5; fill: none; }
.right { fill: #2c8a57; } .refused { fill: #d9dee4; } .half { fill: #e0a030; } .wrong { fill: #c4443a; }
.ours { fill: #2f6fd0; } .peer { fill: #a9b8ca; } .on { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #dde2e8; } .page { fill: #14171b; } .dim { fill: #9aa4af; } .box { fill: #20252b; stroke: #3a424c; }
  .refused { fill: #3a424c; } .peer { fill: #56657a; } .ours { fill: #6ea0f0; } .on { fill: #ffffff; }
}
"""


def pictures() -> dict[str, str]:
    """Every picture by its name."""
    benchmarks = (DOCS / "benchmarks.md").read_text()
    return {
        "comparison.svg": comparison((DOCS / "comparison.md").read_text()),
        "everyday.svg": everyday(benchmarks),
        "tokens.svg": tokens(benchmarks),
        "pipeline.svg": pipeline(),
        "refusal.svg": refusal(),
    }


# ── shapes ───────────────────────────────────────────────────────────────────────────────────────


def svg(title: str, width: float, height: float, parts: Iterable[str], *, drawn: float = 0) -> str:
    """Return a picture, `drawn` as many pixels wide where there is room."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{drawn or width:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    page = f'<rect class="page" width="{width:g}" height="{height:g}" rx="8"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", page, *parts, "</svg>", ""])


def text(x: float, y: float, words: str, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}>{escape(words, quote=False)}</text>'


def rect(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>'


def bars(x: float, y: float, width: float, rows: Sequence[tuple[str, float, str]], largest: float) -> list[str]:
    """Return a bar for each row (label, value, what to write beside it), the first of them ours."""
    parts = []
    for row, (label, value, words) in enumerate(rows):
        top = y + row * 24
        length = max(width * value / largest, 2)
        ours = "ours" if label.startswith("anypatch") else "peer"
        parts += [
            text(x - 10, top + 13, label, "end"),
            rect(x, top, length, 17, ours),
            text(x + length + 8, top + 13, words, "dim"),
        ]
    return parts


# ── the pictures ─────────────────────────────────────────────────────────────────────────────────


CASES = {  # what goes wrong, in few words: a phone shows the picture 360 pixels wide
    "twins": "the same lines twice", "outdented": "indentation lost", "tabs": "tabs against spaces",
    "crlf": "CRLF line endings", "latin-1": "a byte not in UTF-8", "comment": "a comment left out",
    "stale": "file changed since", "left out": "“rest unchanged”", "two files": "one file doesn't fit",
    "sent twice": "sent a second time", "exists": "new file exists", "counts": "wrong hunk numbers",
}  # fmt: skip
VERDICTS = {
    "right": ("✓", "right"), "refused": ("–", "refused"), "half": ("½", "half done"),
    "wrong": ("✗", "wrong, reports success"),
}  # fmt: skip


def comparison(page: str) -> str:
    """A row for each case, a column for each tool, a colour and a sign for each verdict."""
    header, rows = table(page, "| | anypatch |")
    left, top, side = 148, 96, 30
    parts = []
    for column, tool in enumerate(header):
        x, style = left + side * (column + 0.5), "strong" if tool == "anypatch" else ""
        parts.append(f'<g transform="translate({x + 2:g} {top - 8}) rotate(-48)">{text(0, 0, tool, style)}</g>')
    for row, (name, verdicts) in enumerate(rows):
        y = top + row * side
        parts.append(text(left - 8, y + 20, CASES[name], "end"))
        for column, verdict in enumerate(verdicts):
            kind = verdict.strip("*").lower()
            if kind in VERDICTS:
                parts += verdict_box(left + column * side, y, side, kind)
    x, bottom = 14.0, top + side * len(rows) + 14
    for kind, (_, words) in VERDICTS.items():
        parts += [*verdict_box(x, bottom, 24, kind), text(x + 28, bottom + 17, words)]
        x += 42 + 6.6 * len(words)
    width, height = left + side * len(header) + 56, bottom + 38
    return svg("What each tool makes of twelve edits", width, height, parts, drawn=560)


def verdict_box(x: float, y: float, side: float, kind: str) -> list[str]:
    style = "middle strong" + ("" if kind == "refused" else " on")
    return [
        rect(x + 1, y + 1, side - 2, side - 2, kind),
        text(x + side / 2, y + side / 2 + 5, VERDICTS[kind][0], style),
    ]


def everyday(page: str) -> str:
    """The medians of clean patches: a group for each format, a bar for each tool."""
    groups = re.findall(r"^([\w-]+, clean) +median.*\n((?:.+\n)+)", page, re.MULTILINE)
    parts, y = [], 20.0
    times = [
        [(name, float(ms)) for name, ms in re.findall(r"^(\S.*?) {2,}([\d.]+) ", rows, re.MULTILINE)]
        for _, rows in groups
    ]
    largest = max(ms for rows in times for _, ms in rows)
    for (title, _), rows in zip(groups, times, strict=True):
        parts += [text(20, y + 12, f"{title.split(',')[0]}, CPU ms for one change", "strong")]
        parts += bars(204, y + 24, 228, [(name, ms, f"{ms:.2f}") for name, ms in rows], largest)
        y += 24 * (len(rows) + 1) + 22
    return svg("CPU time of an everyday edit, in process", 480, y, parts, drawn=640)


def tokens(page: str) -> str:
    """The median of what a changed file costs in each format."""
    _, rows = table(page, "| | tokens a file, median |")
    sizes = [(name.strip("`"), int(cells[0].replace(",", "")), cells[2]) for name, cells in rows]
    drawn = [(name, size, f"{size:,} ({share})") for name, size, share in sizes]
    largest = max(size for _, size, _ in sizes)
    title = text(20, 24, "Tokens of one changed file, and their share of the whole file", "strong")
    parts = [title, *bars(166, 40, 210, drawn, largest)]
    return svg("Tokens of a changed file", 480, 24 * len(rows) + 52, parts, drawn=640)


def pipeline() -> str:
    """From an answer to a change that can be undone, from top to bottom; proposals take a way beside it."""
    steps = (
        ("answer", "diffs, blocks, calls, fences"), ("blocks", "cut by structure, not by words"),
        ("edits", "read by each format's rules"), ("one place", "found by a closed list of rules"),
        ("plan", "all problems are known"), ("commit", "every file or none"), ("receipt", "for undo and redo"),
    )  # fmt: skip
    wide, high, gap, left, beside = 214, 48, 20, 12, 262
    tops = [12 + number * (high + gap) for number in range(len(steps))]
    parts = []
    for (title, about), y in zip(steps, tops, strict=True):
        parts += [rect(left, y, wide, high, "box"), text(left + wide / 2, y + 20, title, "middle strong")]
        parts.append(text(left + wide / 2, y + 37, about, "middle small dim"))
        if y > tops[0]:
            parts.append(f'<path class="arrow" d="M{left + wide / 2:g} {y - gap + 2}v{gap - 5}m-4 -5l4 5l4 -5"/>')
    y, middle = tops[2], beside + 83
    words = ("proposals", "fences of code without", "marks: shown, and taken", "only if you accept them")
    parts.append(rect(beside, y, 166, high * 2 + gap, "box"))
    parts += [
        text(middle, y + 30 + 20 * row, line, "middle small dim" if row else "middle strong")
        for row, line in enumerate(words)
    ]
    for start, end in (
        (f"M{left + wide + 2} {tops[1] + high / 2:g}H{middle}", f"V{tops[2] - 3}m-4 -5l4 5l4 -5"),
        (f"M{middle} {tops[3] + high + 2}", f"V{tops[4] + high / 2:g}H{left + wide + 3}m5 -4l-5 4l5 4"),
    ):
        parts.append(f'<path class="arrow" d="{start}{end}"/>')
    return svg("From an answer to a change", beside + 166 + 12, tops[-1] + high + 12, parts)


def refusal() -> str:
    """The refusal that docs/concepts.md explains, as a terminal shows it."""
    page = (DOCS / "concepts.md").read_text()
    files = {
        name: body for above, _, _, body in snippets.FENCE.findall(page) for name in re.findall(r"file: (\S+)", above)
    }
    with tempfile.TemporaryDirectory() as scratch:
        reader = snippets.Reader(Path(scratch).resolve())
        for name, body in files.items():
            (reader.folder / name).write_text(body)
        environment = {name: value for name, value in reader.environment.items() if name != "NO_COLOR"}
        environment["TERM"] = "xterm-256color"
        command = "anypatch apply -y answer.md"
        output = shown(command, reader.folder, environment)
    return terminal_svg(f"\x1b[1m$ {command}\x1b[0m\n{output}", "A refusal: the two places where the edit fits")


def table(page: str, start: str) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the headings of a table and its rows, each by its first cell."""
    lines = page[page.index(start) :].split("\n\n", maxsplit=1)[0].split("\n")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return cells[0][1:], [(row[0], row[1:]) for row in cells[2:]]


def main() -> int:
    drawn = pictures()
    stale = [
        name for name, text in drawn.items() if not (ASSETS / name).is_file() or (ASSETS / name).read_text() != text
    ]
    if "--check" in sys.argv:
        print(f"run `make docs`: {' '.join(stale)}" if stale else "up to date")
        return 1 if stale else 0
    for name in stale:
        (ASSETS / name).write_text(drawn[name])
        print(f"wrote docs/assets/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
