"""How often a file shown in part lands right: real changes told with marks, right / refused / wrong.

    python bench/shown_in_part.py                     the table
    python bench/shown_in_part.py --changes 1000      over more changes of each source
    python bench/shown_in_part.py --wrong 3 --refused 5     with examples
    PYTHONPATH=OTHER/src python bench/shown_in_part.py      the same with other code, to compare

The changes are those of this repository's history, and invented ones in files of this machine. Each is told in two ways:

    context   every change with three lines on each side, a mark (`# ... existing code ...`) between two of them
    member    class header, mark, the function that changed in full, mark, the closing bracket of the class

Seeded: the same files and the same seed give the same table. Exits with 1 where an edit was wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import anypatch
from accuracy import corpus, history
from anypatch.diff import opcodes
from anypatch.formats.elided.write import mark
from anypatch.match.shrinking import shrinking
from anypatch.model import Patch
from anypatch.syntax.languages import grammar_of
from anypatch.syntax.symbols import Symbol, symbols_of
from anypatch.syntax.top import top_of
from support import mistakes

CONTEXT = 3
LONGEST = 3_000


class Change(NamedTuple):
    """A file before and after, as lines."""

    path: str
    before: list[str]
    after: list[str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--changes", type=int, default=400, help="so many of each source")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--wrong", type=int, default=0, help="print so many wrong edits")
    options.add_argument("--refused", type=int, default=0, help="print so many refusals")
    options.add_argument("--way", default="", help="tell the changes in this way only")
    chosen = options.parse_args()
    tally: Counter[tuple[str, str, str]] = Counter()
    left = {"wrong": chosen.wrong, "refused": chosen.refused}
    sources = {"history": from_history(chosen.seed), "invented": invented(chosen.seed)}
    for source, changes in sources.items():
        for change in take(changes, chosen.changes):
            for way, body in told(change):
                if chosen.way in ("", way):
                    verdict, detail = judged(change, body)
                    tally[source, way, verdict] += 1
                    if left.get(verdict, 0) > 0:
                        left[verdict] -= 1
                        explain(change, way, body, verdict, detail)
    print(f"{'':<22}{'right':>8}{'refused':>9}{'wrong':>7}{'right %':>9}")
    for source, way in sorted({key[:2] for key in tally}):
        counts = [tally[source, way, word] for word in ("right", "refused", "wrong")]
        share = 100 * counts[0] / sum(counts)
        print(f"{source + ', ' + way:<22}{counts[0]:>8}{counts[1]:>9}{counts[2]:>7}{share:>8.1f} %")
    sys.exit(1 if any(word == "wrong" for _, _, word in tally) else 0)


def take(changes: Iterator[Change], count: int) -> Iterator[Change]:
    """The first changes that can be told without more words: what takes whole functions away is refused unless said."""
    for change in changes:
        if count <= 0:
            return
        if not 4 <= len(change.before) <= LONGEST or change.before == change.after:
            continue
        before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (change.before, change.after))
        if change.before[0] != change.after[0] and top_of(change.before, change.path):
            continue  # a licence or `package` that goes: what isn't shown above the first line stays
        if shrinking(change.path, before, after, Patch("", (), "")) is None:
            count -= 1
            yield change


def from_history(seed: int) -> Iterator[Change]:
    """What commits of this repository changed in files that stayed."""
    pairs = history(str(Path(__file__).parent.parent))
    random.Random(seed).shuffle(pairs)
    for path, before, after in pairs:
        if b"\r" not in before + after and after.endswith(b"\n") and before.endswith(b"\n") and ".jsonl" not in path:
            try:
                texts = before.decode(), after.decode()
            except UnicodeDecodeError:
                continue
            yield Change(path, *(text[:-1].split("\n") for text in texts))


def invented(seed: int) -> Iterator[Change]:
    """Edits as programmers make them, in files of this machine in many languages."""
    files = corpus()
    for number in range(1_000_000):
        rng = random.Random(seed * 1_000_003 + number)
        path, text = rng.choice(files)
        made = mistakes.make_change(path, text, rng)
        if made is not None:
            before, after = (
                data.decode().replace("\r\n", "\n").removesuffix("\n") for data in (made.before, made.after)
            )
            yield Change(path, before.split("\n"), after.split("\n"))


# ── ways to tell a change ────────────────────────────────────────────────────────────────────────


def told(change: Change) -> Iterator[tuple[str, list[str]]]:
    """Each way, with the lines that a model would write."""
    ranges = opcodes(change.before, change.after)
    if [line.rstrip() for line in change.before] == [line.rstrip() for line in change.after]:
        return
    yield "context", in_context(change, ranges)
    member = as_member(change, ranges)
    if member:
        yield "member", member


def in_context(change: Change, ranges: list[tuple[int, int, int, int]]) -> list[str]:
    """Every change with some lines around it, and marks for the rest."""
    stays, lines = mark(change.path), list[str]()
    shown = 0  # how far the new text is shown or left out
    for start, end in joined([(new_start, new_end) for _, _, new_start, new_end in ranges], len(change.after)):
        if start > shown:
            lines.append(stays)
        lines += change.after[start:end]
        shown = end
    return lines + [stays] * (shown < len(change.after))


def joined(ranges: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """The ranges with their context; those that touch are one."""
    wide: list[tuple[int, int]] = []
    for start, end in ranges:
        low, high = max(0, start - CONTEXT), min(count, end + CONTEXT)
        if wide and low <= wide[-1][1]:
            low = wide.pop()[0]
        wide.append((low, high))
    return wide


def as_member(change: Change, ranges: list[tuple[int, int, int, int]]) -> list[str]:
    """The one function that changed, in full, inside of the header and the end of its class; empty where none did."""
    old, new = (symbols(change.path, lines) for lines in (change.before, change.after))
    low, high = ranges[0][2], max(ranges[-1][3], ranges[0][2] + 1)
    around = [one for one in new if one.lead <= low and high <= one.last + 1 and one.kind in ("function", "method")]
    if not around:
        return []
    member = max(around, key=lambda one: (-len(one.parts), one.lead))
    same = [one for one in old if one.parts == member.parts]
    outer = [one for one in new if one.parts == member.parts[:-1]]
    if len(same) != 1 or len(outer) != (len(member.parts) > 1) or not same[0].lead <= ranges[0][0]:
        return []
    if ranges[-1][1] > same[0].last + 1:
        return []
    if change.before[same[0].lead] != change.after[member.lead] and member.lead != member.first:
        return []  # a comment above it that goes can't be told so
    if any(start == end == member.last + 1 for _, _, start, end in ranges):
        return []  # nor can last lines that go
    after, stays = change.after, mark(change.path)
    indent = after[member.first][: len(after[member.first]) - len(after[member.first].lstrip())]
    pieces = [(member.lead, member.last + 1)]
    if outer:
        pieces = [(outer[0].first, outer[0].first + 1), *pieces]
        if outer[0].last > member.last and not any(map(str.isalnum, after[outer[0].last])):
            pieces.append((outer[0].last, outer[0].last + 1))
    lines, shown = list[str](), 0
    for number, (start, end) in enumerate([*pieces, (len(after), len(after))]):
        if any(line.strip() for line in after[shown:start]):
            inside = 0 < number < len(pieces) or (number == len(pieces) and shown <= member.last + 1)
            lines.append((indent if inside else "") + stays)
        else:
            lines += after[shown:start]
        lines += after[start:end]
        shown = end
    return lines


def symbols(path: str, lines: list[str]) -> list[Symbol]:
    grammar = grammar_of(path)
    read = symbols_of(grammar, path, "\n".join([*lines, ""])) if grammar else None
    return read.rows if read else []


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


def judged(change: Change, body: list[str]) -> tuple[str, str]:
    """What became of the change: right, refused (and why) or wrong (and what the file became)."""
    answer = "\n".join([change.path, "`````", *body, "`````", ""])
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (change.before, change.after))
    files = anypatch.apply_to(answer, {change.path: before}, format="elided")
    if not files.report.ok:
        return "refused", "\n".join(f"{problem.kind}: {problem.detail}" for problem in files.report.problems)
    result = str(files[change.path])
    if result == before:
        return "refused", "a no-op, and it says so"  # what is shown stands in the file already
    same = [line.rstrip() for line in result.split("\n")] == [line.rstrip() for line in after.split("\n")]
    return ("right", "") if same else ("wrong", result)


def explain(change: Change, way: str, body: list[str], verdict: str, detail: str) -> None:
    print(f"━━ {verdict}: {change.path}, {way}")
    if verdict == "refused":
        print(detail)
    print(*body, sep="\n")
    print("── wanted")
    show(change.before, change.after)
    if verdict == "wrong":
        print("── became")
        show(change.before, detail.removesuffix("\n").split("\n"))


def show(old: list[str], new: list[str]) -> None:
    for a, b, c, d in opcodes(old, new):
        print(f"@@ {a + 1}", *(f"-{line}" for line in old[a:b]), *(f"+{line}" for line in new[c:d]), sep="\n")


if __name__ == "__main__":
    main()
