"""How long everyday edits take: real changes of real files, as models write them, beside other tools in the same run.

    python bench/everyday.py                    this repository's history, and packages at two versions
    python bench/everyday.py --git PATH         the history of a repository of yours instead
    python bench/everyday.py --only process     one part: process, growth or programs
    python bench/everyday.py --chart FILE.svg   and draw the growth

The bench makes an environment of its own in .bench/, with this checkout and its peers from the package indexes (PyPI:
mpatch, purepatch, openai-agents; npm: Codex, whose `apply_patch` is a program), and runs itself in it. A peer that can't
be installed is left out, and said to be.

A change is told as a unified diff, as SEARCH/REPLACE blocks and as a Begin Patch; clean, and spoiled in the ways models
do: wrong line numbers, blank or comment lines left out, indentation lost. In process, times are CPU ms of this process,
the least of some rounds over all changes (so that nothing is answered from a cache); detection of the format counts.
`right` is what the change's author wrote, `spacing` that with other blank lines (where the patch left them out, nothing
says on which side of them new lines belong), `other` another text: reported as success, or an answer that is only near.
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from functools import cache, partial, reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

TOP = Path(__file__).parent.parent
HOME = TOP / ".bench"
PEERS = ("mpatch", "purepatch", "openai-agents")
PACKAGES = (
    ("requests", "2.31.0", "2.32.3"), ("click", "8.1.3", "8.1.8"), ("jinja2", "3.0.3", "3.1.4"),
    ("httpx", "0.24.1", "0.27.2"), ("rich", "13.3.5", "13.9.4"), ("werkzeug", "2.3.8", "3.0.4"),
)  # fmt: skip
SUFFIXES = (
    ".py", ".pyi", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".c", ".h", ".cpp", ".rb", ".php", ".css", ".html",
    ".toml", ".yml", ".yaml", ".sh", ".md",
)  # fmt: skip
PARTS = ("process", "growth", "programs")


class Change(NamedTuple):
    """A file before and after."""

    path: str
    before: str
    after: str


class Group(NamedTuple):
    """Adjacent lines of a change, tagged " ", "-" or "+", and the first line (1-based) of the old text."""

    lines: list[tuple[str, str]]
    first: int

    @property
    def old(self) -> list[str]:
        return [line for tag, line in self.lines if tag != "+"]

    @property
    def new(self) -> list[str]:
        return [line for tag, line in self.lines if tag != "-"]


class Job(NamedTuple):
    """A change as a patch. `groups`: what it was written from, for peers that take no text."""

    change: Change
    patch: str
    groups: list[Group]


Tool = Callable[[Job], str | None]  # the text that a job makes; None where it is refused


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--git", type=Path, help="take changes from the history of this repository alone")
    options.add_argument("--count", type=int, default=120, help="changes")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--only", choices=PARTS)
    options.add_argument("--chart", type=Path, help="draw the growth as SVG into this file")
    options.add_argument("--here", action="store_true", help="stay in this environment, with the peers that are in it")
    chosen = options.parse_args()
    if not chosen.here:
        python = environment()
        os.execv(python, [str(python), __file__, *sys.argv[1:], "--here"])
    found = list(from_git(chosen.git or TOP)) + ([] if chosen.git else list(from_packages()))
    random.Random(1).shuffle(found)
    changes = found[: chosen.count]
    lines = sorted(change.before.count("\n") for change in changes)
    where = chosen.git or "this repository's history, packages at two versions"
    print(
        f"{len(changes)} changes of {len(found)} ({where}); files of {lines[0]} to {lines[-1]} lines, median {lines[len(lines) // 2]}"
    )
    print(f"{sys.version.split()[0]} on {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for part in [chosen.only] if chosen.only else PARTS:
        if part == "process":
            in_process(changes, chosen.rounds)
        elif part == "growth":
            drawn = growth(changes, found)
            if chosen.chart:
                chosen.chart.write_text(chart(drawn))
        else:
            programs(changes, found, chosen.rounds)


# ── the environment ──────────────────────────────────────────────────────────────────────────────


def environment() -> Path:
    """A Python with this checkout and the peers in it; made once."""
    python = HOME / "env" / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", HOME / "env"])
    done = HOME / "installed"
    if not done.exists():
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", TOP])
        for peer in PEERS:
            run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer], needed=False)
        if shutil.which("npm"):
            run(["npm", "install", "--silent", "--prefix", HOME / "npm", "@openai/codex"], needed=False)
        done.touch()
    return python


def run(command: Iterable[object], *, needed: bool = True) -> bytes:
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True)
    if done.returncode and needed:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode()[-2000:]}")
    return done.stdout


# ── real changes ─────────────────────────────────────────────────────────────────────────────────


def from_git(repository: Path) -> Iterable[Change]:
    """Files that commits changed, each as it was before and after; some hundreds of all."""
    command = ["git", "-C", repository, "log", "--no-merges", "--diff-filter=M", "--raw", "--no-abbrev", "--format="]
    rows = [line.partition("\t") for line in run(command).decode("utf-8", "replace").split("\n")]
    rows = [row for row in rows if row[2].endswith(SUFFIXES)]
    random.Random(2).shuffle(rows)
    blobs = [blob for about, _, _ in rows[:_TAKEN] for blob in about.split()[2:4]]
    done = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch"], input="\n".join(blobs).encode(), capture_output=True,
        check=True,
    )  # fmt: skip
    texts, at = [], 0
    for _ in blobs:
        head = done.stdout.index(b"\n", at)
        size = int(done.stdout[at:head].split()[2])
        texts.append(done.stdout[head + 1 : head + 1 + size])
        at = head + size + 2
    for number, (_, _, path) in enumerate(rows[:_TAKEN]):
        yield from fitting(path, texts[2 * number], texts[2 * number + 1])


_TAKEN = 400


def from_packages() -> Iterable[Change]:
    """Files that are in two versions of a package and differ."""
    for name, old, new in PACKAGES:
        texts = []
        for version in (old, new):
            folder = HOME / "packages" / f"{name}-{version}"
            if not folder.exists():
                run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                     "--only-binary", ":all:", "--dest", folder, f"{name}=={version}"], needed=False)  # fmt: skip
            wheels = sorted(folder.glob("*.whl"))
            if not wheels:
                print(f"{name} {version} can't be had")
                break
            with zipfile.ZipFile(io.BytesIO(wheels[0].read_bytes())) as wheel:
                texts.append({path: wheel.read(path) for path in wheel.namelist() if path.endswith(SUFFIXES)})
        else:
            for path in sorted(texts[0].keys() & texts[1].keys()):
                yield from fitting(path, texts[0][path], texts[1][path])


def fitting(path: str, before: bytes, after: bytes) -> Iterable[Change]:
    """A change that a model could have made in one answer: of text, not of most of the file."""
    try:
        change = Change(path, before.decode(), after.decode())
    except UnicodeDecodeError:
        return
    texts = (change.before, change.after)
    if before == after or any(text[-1:] != "\n" or "\r" in text or len(text) > 200_000 for text in texts):
        return
    found = groups(change)
    touched = sum(tag != " " for group in found for tag, _ in group.lines)
    if change.before.count("\n") >= 40 and len(found) <= 10 and touched <= 100:
        yield change


def groups(change: Change, context: int = 3) -> list[Group]:
    old, new = change.before.split("\n")[:-1], change.after.split("\n")[:-1]
    found = []
    for part in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines: list[tuple[str, str]] = []
        for tag, a, b, c, d in part:
            if tag == "equal":
                lines += [(" ", line) for line in old[a:b]]
            else:
                lines += [("-", line) for line in old[a:b]] + [("+", line) for line in new[c:d]]
        found.append(Group(lines, part[0][1] + 1))
    return found


# ── as patches ───────────────────────────────────────────────────────────────────────────────────


def unified(change: Change, found: list[Group], shift: int = 0) -> str:
    text, moved = f"--- a/{change.path}\n+++ b/{change.path}\n", shift
    for group in found:
        text += f"@@ -{group.first + shift},{len(group.old)} +{group.first + moved},{len(group.new)} @@\n"
        text += "".join(f"{tag}{line}\n" for tag, line in group.lines)
        moved += len(group.new) - len(group.old)
    return text


def begin_patch(change: Change, found: list[Group]) -> str:
    return f"*** Begin Patch\n*** Update File: {change.path}\n{v4a(found)}*** End Patch\n"


def v4a(found: list[Group]) -> str:
    return "".join("@@\n" + "".join(f"{tag}{line}\n" for tag, line in group.lines) for group in found)


def joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def search_replace(change: Change, found: list[Group]) -> str:
    blocks = []
    for group in found:
        block = f"<<<<<<< SEARCH\n{joined(group.old)}=======\n{joined(group.new)}>>>>>>> REPLACE\n"
        blocks.append(f"{change.path}\n```\n{block}```\n")
    return "\n".join(blocks)


WRITERS: dict[str, Callable[[Change, list[Group]], str]] = {
    "unified": unified, "search-replace": search_replace, "begin-patch": begin_patch,
}  # fmt: skip


def jobs(changes: list[Change], format: str, *, spoiled: bool) -> list[Job]:
    made = []
    for number, change in enumerate(changes):
        found = groups(change)
        if spoiled:
            found = SPOILS[number % len(SPOILS)](found)
        if spoiled and format == "unified" and number % 2:
            patch = unified(change, found, shift=13)
        else:
            patch = WRITERS[format](change, found)
        made.append(Job(change, patch, found))
    return made


def without_blanks(found: list[Group]) -> list[Group]:
    return [group._replace(lines=[one for one in group.lines if one[0] != " " or one[1].strip()]) for group in found]


def without_comments(found: list[Group]) -> list[Group]:
    def stays(tag: str, line: str) -> bool:
        return tag != " " or not line.lstrip().startswith(("# ", "// ", "/* ", "* "))

    return [group._replace(lines=[one for one in group.lines if stays(*one)]) for group in found]


def outdented(found: list[Group]) -> list[Group]:
    """Lines without the indentation that all of them have."""
    made = []
    for group in found:
        depth = min((len(line) - len(line.lstrip(" ")) for _, line in group.lines if line.strip()), default=0)
        made.append(group._replace(lines=[(tag, line[depth:]) for tag, line in group.lines]))
    return made


SPOILS = (without_blanks, without_comments, outdented)


# ── in process ───────────────────────────────────────────────────────────────────────────────────


def tools(format: str) -> dict[str, Tool]:
    """Who takes patches of a format in process."""
    found: dict[str, Tool] = {"anypatch, syntax off": ours("off"), "anypatch": ours("warn")}
    mpatch, purepatch, agents = (peer(name) for name in ("mpatch", "purepatch", "agents"))
    if mpatch and format != "begin-patch":
        found["mpatch"] = lambda job: mpatch.patch_content(job.patch, job.change.before)
    if purepatch and format == "unified":
        found["purepatch"] = lambda job: purepatch.apply(job.patch, job.change.before)
    if purepatch and format == "search-replace":
        found["purepatch (given blocks)"] = lambda job: reduce(
            lambda text, group: purepatch.apply_edit(text, joined(group.old), joined(group.new)),
            job.groups,
            job.change.before,
        )
    if agents and format == "begin-patch":
        found["openai-agents (given hunks)"] = lambda job: agents.apply_diff(job.change.before, v4a(job.groups))
    return found


def ours(syntax: Literal["off", "warn"]) -> Tool:
    import anypatch

    def work(job: Job) -> str | None:
        result = anypatch.apply_to(job.patch, {job.change.path: job.change.before}, syntax=syntax)
        return str(result.files[job.change.path]) if result.ok else None

    return work


@cache
def peer(name: str) -> Any:
    """A module; None where it isn't installed."""
    try:
        return import_module(name)
    except ImportError:
        print(f"{name} isn't installed")
        return None


def in_process(changes: list[Change], rounds: int) -> None:
    head = f"{'median':>8} {'p90':>8} {'x ours':>7}  {'right':>5} {'spacing':>7} {'refused':>7} {'other':>5}"
    for format in WRITERS:
        found = tools(format)
        for spoiled in (False, True):
            print(f"\n{format + (', spoiled' if spoiled else ', clean'):36} {head}   CPU ms, in process")
            given = jobs(changes, format, spoiled=spoiled)
            spent, results = timed(found, given, rounds)
            base = statistics.median(spent["anypatch, syntax off"])
            for name, times in spent.items():
                pairs = [(result, job.change.after) for result, job in zip(results[name], given, strict=True)]
                right = sum(result == wanted for result, wanted in pairs)
                spacing = (
                    sum(result is not None and filled(result) == filled(wanted) for result, wanted in pairs) - right
                )
                refused = results[name].count(None)
                median, p90 = statistics.median(times), sorted(times)[len(times) * 9 // 10]
                print(
                    f"{name:36} {median:8.2f} {p90:8.2f} {median / base:7.2f}  {right:5} {spacing:7} {refused:7} "
                    f"{len(given) - right - spacing - refused:5}"
                )


def filled(text: str) -> list[str]:
    """The lines that aren't blank."""
    return [line for line in text.split("\n") if line.strip()]


def timed(
    found: dict[str, Tool], given: list[Job], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[str | None]]]:
    """Return the least CPU ms that each tool needs for each job, all tools in turn, and its result.

    All jobs come between two runs of one, so that nothing is answered from a cache.
    """
    least = {name: [float("inf")] * len(given) for name in found}
    results: dict[str, list[str | None]] = {name: [None] * len(given) for name in found}
    for _ in range(rounds):
        for name, tool in found.items():
            for number, job in enumerate(given):
                started = time.process_time()
                try:
                    result = tool(job)
                except Exception:
                    result = None
                least[name][number] = min(least[name][number], (time.process_time() - started) * 1000)
                results[name][number] = result
    return least, results


def growth(changes: list[Change], found: list[Change]) -> dict[str, dict[str, list[float]]]:
    """Return the same changes in files ten and a hundred times as long, with other real files of their kind around them."""
    figures: dict[str, dict[str, list[float]]] = {}
    for format, writer in WRITERS.items():
        print(f"\n{format + ', clean, growth':36} {'1 x':>8} {'10 x':>8} {'100 x':>8}   CPU ms, medians of 5 changes")
        rows = figures[format] = {}
        for times in (1, 10, 100):
            few = [longer(change, found, times) for change in changes[:5]]
            spent, _ = timed(tools(format), [Job(one, writer(one, hunks), hunks) for one, hunks in few], 3)
            for name, values in spent.items():
                rows.setdefault(name, []).append(statistics.median(values))
        for name, values in rows.items():
            print(f"{name:36} " + " ".join(f"{value:8.2f}" for value in values), flush=True)
    return figures


def chart(figures: dict[str, dict[str, list[float]]]) -> str:
    """The growth as a picture: a panel a format, a line a tool, both axes logarithmic; grey lines are linear growth."""
    names = list(dict.fromkeys(name for rows in figures.values() for name in rows))
    colours = dict(zip(names, ("#0a58ca", "#6ea8fe", "#d63384", "#fd7e14", "#198754", "#6f42c1"), strict=False))
    most = max(value for rows in figures.values() for values in rows.values() for value in values)
    low, high = 0.01, 10 ** math.ceil(math.log10(most))

    def place(panel: int, step: int, value: float) -> tuple[float, float]:
        height = math.log(max(value, low) / low) / math.log(high / low)
        return 60 + panel * 240 + step * 85, 300 - height * 240

    def line(points: list[tuple[float, float]], style: str) -> str:
        return f'<polyline fill="none" {style} points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in points)}"/>'

    def label(x: float, y: float, text: str, more: str = "") -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{text}</text>'

    parts = []
    for panel, (format, rows) in enumerate(figures.items()):
        parts.append(label(60 + panel * 240, 40, f"{format}, CPU ms", 'font-weight="bold"'))
        value = low
        while value <= high:
            x, y = place(panel, 0, value)
            parts += [
                line([(x, y), (x + 170, y)], 'stroke="#ddd"'),
                label(x - 8, y + 4, f"{value:g}", 'text-anchor="end"'),
            ]
            if value * 100 <= high:
                parts.append(line([(x, y), place(panel, 2, value * 100)], 'stroke="#ddd" stroke-dasharray="3"'))
            value *= 10
        for step, times in enumerate(("1 x", "10 x", "100 x")):
            parts.append(label(place(panel, step, low)[0], 318, times, 'text-anchor="middle"'))
        for name, values in rows.items():
            points = [place(panel, step, value) for step, value in enumerate(values)]
            parts.append(line(points, f'stroke="{colours[name]}" stroke-width="2"'))
    for number, name in enumerate(names):
        x, y = 60 + number % 3 * 240, 345 + number // 3 * 18
        parts += [
            line([(x, y - 4), (x + 20, y - 4)], f'stroke="{colours[name]}" stroke-width="2"'),
            label(x + 26, y, name),
        ]
    width = 40 + 240 * len(figures)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 375" font-family="sans-serif" font-size="12">'
    return "\n".join([head, f'<rect width="{width}" height="375" fill="white"/>', *parts, "</svg>", ""])


def longer(change: Change, found: list[Change], times: int) -> tuple[Change, list[Group]]:
    """A change in a longer file, and its groups: half of what is added is above it, half below."""
    suffix = Path(change.path).suffix
    others = [one.before for one in found if one.path != change.path and one.path.endswith(suffix)] or [change.before]
    wanted = (times - 1) * len(change.before) // 2
    if wanted:  # below other code such an import is an error, and a file that isn't Python is nobody's everyday
        bare = re.compile(r"(?m)^from __future__ import .*\n")
        others = [bare.sub("", text) for text in others]
        change = Change(change.path, bare.sub("", change.before), bare.sub("", change.after))
    number, parts = 0, ["", ""]
    for side in (0, 1):
        pieces, size = [], 0
        while size < wanted:
            pieces.append(others[number % len(others)])
            number, size = number + 1, size + len(pieces[-1])
        parts[side] = "".join(pieces)
    above, below = parts
    moved = above.count("\n")
    hunks = [group._replace(first=group.first + moved) for group in groups(change)]
    return Change(change.path, above + change.before + below, above + change.after + below), hunks


# ── whole programs ───────────────────────────────────────────────────────────────────────────────


def programs(changes: list[Change], found: list[Change], rounds: int) -> None:
    """Whole processes on fresh copies of a tree; nothing is synced.

    Files that are themselves about patches are left out: to some tools a line `--- a/x` of a file begins another patch.
    """
    found = [change for change in found if not re.search(_LIKE_A_PATCH, change.before + change.after)]
    one = next(change for change in changes if change in found)
    lines = max(one.before.count("\n"), 1)
    files = list({change.path: change for change in found}.values())[:100]
    many = [(change, groups(change)) for change in (ten_lines(change, found) for change in files)]
    large, middle = (longer(one, found, max(count // lines, 1)) for count in (200_000, 20_000))
    rows = middle[0].before.split("\n")
    start = len(rows) // 4
    wanted = rows[start : start + 40]
    wanted[20] += " and something else"
    kept = [(" ", line) for line in wanted]
    at = next(at for at in range(25, 40) if wanted[at].strip())
    near = [Group([*kept[:at], ("-", wanted[at]), ("+", f"{wanted[at]}  # changed"), *kept[at + 1 :]], start + 1)]
    rows[start + at] += "  # changed"
    missed = middle[0]._replace(after="\n".join(rows))
    works: list[tuple[str, list[tuple[Change, list[Group]]]]] = [
        ("one change", [(one, groups(one))]),
        (f"{sum(len(found) for _, found in many):,} hunks in {len(many)} files", many),
        (f"one change in {large[0].before.count(chr(10)):,} lines", [large]),
        (f"a near miss in {len(rows):,} lines", [(missed, near)]),
    ]
    for title, work in works:
        size = sum(len(change.before.encode()) for change, _ in work) / 2**20
        print(
            f"\n{title:36} {'CPU':>8} {'wall':>8} {'x bare':>7} {'x mpatch':>8} {'MiB':>6}   ms, whole processes, medians; files {size:.1f} MiB"
        )
        rows_: list[tuple[str, Run]] = [
            ("the bare interpreter", measured([sys.executable, "-c", "pass"], lambda: None, rounds, lambda: True))
        ]
        with tempfile.TemporaryDirectory() as scratch:
            rows_ += [
                (name, measured(command, prepare, rounds, partial(is_done, work)))
                for name, command, prepare in commands(Path(scratch), work)
            ]
        bare, peer = rows_[0][1].cpu, next((run.cpu for name, run in rows_ if name.startswith("mpatch")), math.nan)
        for name, run in rows_:
            told = "  refused" if run.code else "" if run.right else "  not all of it, or something else"
            print(
                f"{name:36} {run.cpu:8.1f} {run.wall:8.1f} {run.cpu / bare:7.2f} {run.cpu / peer:8.2f} {run.memory:6.0f}{told}",
                flush=True,
            )


_LIKE_A_PATCH = r"(?m)^[ \t\"']*(?:```|--- |\+\+\+ |@@ |diff --git |\*\*\* |<<<<<<<|>>>>>>>)"


def ten_lines(change: Change, found: list[Change]) -> Change:
    """A real file of at least 1,000 lines in which ten lines are changed."""
    text = longer(change, found, max(1000 // change.before.count("\n"), 1))[0].before
    lines = text.split("\n")[:-1]
    new = list(lines)
    for number in range(10):
        at = (2 * number + 1) * len(lines) // 20
        while not lines[at].strip() or "..." in lines[at]:  # a mark for code left out would be refused
            at += 1
        new[at] = lines[at] + "  # changed"
    return Change(change.path, text, "".join(f"{line}\n" for line in new))


def commands(
    scratch: Path, work: list[tuple[Change, list[Group]]]
) -> Iterable[tuple[str, list[str], Callable[[], None]]]:
    """The programs that are there, each with how its tree is made."""
    master, tree = scratch / "master", scratch / "tree"
    for change, _ in work:
        (master / change.path).parent.mkdir(parents=True, exist_ok=True)
        (master / change.path).write_text(change.before)
    diff, begun = scratch / "a.diff", scratch / "a.patch"
    diff.write_text("".join(unified(change, found) for change, found in work))
    bodies = "".join(f"*** Update File: {change.path}\n{v4a(found)}" for change, found in work)
    begun.write_text(f"*** Begin Patch\n{bodies}*** End Patch\n")

    def fresh() -> None:
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(master, tree)
        os.chdir(tree)

    ours = [str(Path(sys.executable).with_name("anypatch")), "apply", "--quiet", "--durability", "none"]
    yield "anypatch apply (unified)", [*ours, str(diff)], fresh
    yield "anypatch apply (unified, no check)", [*ours, "--syntax", "off", str(diff)], fresh
    yield "anypatch apply (Begin Patch)", [*ours, str(begun)], fresh
    yield "git apply", ["git", "apply", str(diff)], fresh
    if shutil.which("patch"):
        yield "GNU patch", ["patch", "-p1", "--silent", "--force", "-i", str(diff)], fresh
    if peer("mpatch"):
        called = "import mpatch, sys; mpatch.apply_directory(open(sys.argv[1]).read(), '.') or sys.exit(1)"
        yield "mpatch (its library, by Python)", [sys.executable, "-c", called, str(diff)], fresh
    codex = next((HOME / "npm").glob("node_modules/@openai/codex-*/vendor/*/bin/codex"), None)
    if codex is None:
        print("Codex isn't installed")
        return
    link = scratch / "apply_patch"
    link.symlink_to(codex)
    yield "Codex apply_patch (Begin Patch)", ["/bin/sh", "-c", f'exec "{link}" < "{begun}"'], fresh


class Run(NamedTuple):
    """Medians of CPU and wall ms and of the most MiB held; the exit code of the last run, and whether it did the job."""

    cpu: float
    wall: float
    memory: float
    code: int
    right: bool


def is_done(work: list[tuple[Change, list[Group]]]) -> bool:
    """Return True if the files of the working tree are as the changes have them."""
    return all(Path(change.path).read_text() == change.after for change, _ in work)


# A process counts as its own what the one that started it held: so it is started by a small one.
_LAUNCHER = """import json, os, subprocess, sys, time
started = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
spent = (used.ru_utime + used.ru_stime) * 1000, (time.perf_counter() - started) * 1000
print(json.dumps([*spent, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)]), flush=True)
os._exit(0)
"""


def measured(command: list[str], prepare: Callable[[], None], rounds: int, right: Callable[[], bool]) -> Run:
    runs = []
    quiet = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds):
        prepare()
        launch = [sys.executable, "-S", "-c", _LAUNCHER, *command]
        done = subprocess.run(launch, check=True, capture_output=True, env=quiet)
        runs.append(json.loads(done.stdout))
    cpu, wall, memory = (statistics.median(run[at] for run in runs) for at in range(3))
    return Run(cpu, wall, memory, runs[-1][3], right())


if __name__ == "__main__":
    main()
