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


def svg(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">'
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


def comparison(page: str) -> str:
    """A row for each case, a column for each tool, a colour for each verdict."""
    header, rows = table(page, "| | anypatch |")
    about = dict(re.findall(r"^\| ([\w -]+) \| ([^|]+?) \|$", page.split("## The cases")[1], re.MULTILINE))
    left, top, wide, high = 390, 64, 70, 30
    parts = [
        text(left + wide * (n + 0.5), top - 14 - 14 * (n % 2), tool, "middle small strong")
        for n, tool in enumerate(header)
    ]
    for row, (name, verdicts) in enumerate(rows):
        y = top + row * high
        parts.append(text(left - 12, y + 19, about[name], "end small"))
        for column, verdict in enumerate(verdicts):
            kind = verdict.strip("*").lower()
            x = left + column * wide
            if kind == "–":
                parts.append(text(x + wide / 2, y + 19, "–", "middle dim"))
                continue
            parts.append(rect(x + 2, y + 2, wide - 4, high - 4, kind))
            parts.append(text(x + wide / 2, y + 19, kind, "middle small" + ("" if kind == "refused" else " on")))
    width, height = left + wide * len(header) + 24, top + high * len(rows) + 14
    return svg("What each tool makes of twelve edits", width, height, parts)


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
        parts += bars(230, y + 24, 400, [(name, ms, f"{ms:.2f}") for name, ms in rows], largest)
        y += 24 * (len(rows) + 1) + 22
    return svg("CPU time of an everyday edit, in process", 720, y, parts)


def tokens(page: str) -> str:
    """The median of what a changed file costs in each format."""
    _, rows = table(page, "| | tokens a file, median |")
    sizes = [(name.strip("`"), int(cells[0].replace(",", "")), cells[2]) for name, cells in rows]
    drawn = [(name, size, f"{size:,} ({share} of the whole file)") for name, size, share in sizes]
    largest = max(size for _, size, _ in sizes)
    return svg("Tokens of a changed file", 780, 24 * len(rows) + 52, [
        text(20, 24, "Tokens of one changed file, median", "strong"), *bars(180, 40, 360, drawn, largest),
    ])  # fmt: skip


def pipeline() -> str:
    """From an answer to a change that can be undone."""
    steps = (
        ("answer", "diffs, blocks, calls,", "fences, in any mix"), ("blocks", "cut by structure;", "no word is read"),
        ("edits", "each format's", "own rules"), ("one place", "closed lists of", "leniencies"),
        ("plan", "all problems", "are known"), ("commit", "every file", "or none"),
        ("receipt", "undo, redo,", "log, show"),
    )  # fmt: skip
    parts, wide, gap = [], 118, 20
    for number, (title, first, second) in enumerate(steps):
        x = 14 + number * (wide + gap)
        parts += [rect(x, 24, wide, 78, "box"), text(x + wide / 2, 48, title, "middle strong")]
        parts += [text(x + wide / 2, y, words, "middle small dim") for y, words in ((70, first), (86, second))]
        if number:
            parts.append(f'<path class="arrow" d="M{x - gap + 3} 63h{gap - 7}m-5 -4l5 4l-5 4"/>')
    below = 14 + 2 * (wide + gap)
    parts += [
        rect(below, 146, 2 * wide + gap, 50, "box"),
        text(below + wide + gap / 2, 168, "fences of code without marks: proposals", "middle small strong"),
        text(below + wide + gap / 2, 184, "shown; taken only if somebody accepts them", "middle small dim"),
        f'<path class="arrow" d="M{below - gap - wide / 2} 104v66h{wide / 2 + gap - 3}m-5 -4l5 4l-5 4"/>',
        f'<path class="arrow" d="M{below + 2 * wide + gap + 3} 171h{gap + wide / 2}v-64m-4 5l4 -5l4 5"/>',
    ]
    return svg("From an answer to a change", 14 * 2 + 7 * wide + 6 * gap, 212, parts)


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
