"""Real changes told as plain chat answers tell them: right, refused or wrong, for each way of telling.

    python bench/chat.py                              commits of this repository, and edits made up in files of this machine
    python bench/chat.py --repo DIR --last 500        commits of another one; several --repo are taken together
    python bench/chat.py --wrong 3 --refused 5        with examples
    python bench/chat.py --way prose                  one way only
    PYTHONPATH=OTHER/src python bench/chat.py         the same with other code, to compare

Eight ways are for changes of one function, as people and models speak of it:

    prose      "In `src/cart.py`, change `total` to:", then the function in a fence
    bold       the path in bold, perhaps a sentence, then the fence
    heading    the same under a heading
    path       the path alone on the line above
    comment    the path as the fence's first comment
    before     a fence with the old text under "Before", one with the new under "After"
    class      the head of the class, marks around the method
    column 0   a method without its indentation

A ninth, `imports`, is for a function that needs new imports: those above it, in the same fence. Four are for changes
in one place: `end` ("Add this to the end of `a.py`:"), `below` ("After `import sys`, add:"), `inline` ("change `a = 1`
to `a = 2`", without a fence) and `numbers` ("Replace lines 8-9 of `a.py` with:", some of them wrong by one).

Five are for any change: `whole` (the file in full), `call` (vendors' JSON calls), `context` (marks, three lines around
each change), `member` (the function inside the head and the end of its class, with marks), and `hunks`, the changed
lines with their neighbours but without any mark: nothing says where those belong, so that they only mustn't do harm.

right: the file is as the commit left it, blank lines, blanks at line ends and the order of imports aside. wrong: it is
anything else.
Seeded: the same files and the same seed give the same table. Exits with 1 where an edit was wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import anypatch
from accuracy import corpus
from anypatch.diff import opcodes
from anypatch.formats.elided.write import mark
from anypatch.model import Patch
from anypatch.shown.whole_text import shrinking
from anypatch.syntax.languages import grammar_of
from anypatch.syntax.symbols import CODE, TYPES, Symbol, symbols_of
from anypatch.syntax.top import import_lists, imports_in, top_of
from support import mistakes

TOP = Path(__file__).parent.parent
CONTEXT = 3
LONGEST = 3_000
LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "rb": "ruby",
    "cs": "csharp",
    "h": "cpp",
}
SENTENCES = (
    "In `{path}`, change `{name}` to:",
    "Update the `{name}` {kind} in `{path}`:",
    "Open {path} and replace the `{name}` {kind} with this:",
    "Here's the updated `{name}` in `{path}`:",
    "The problem is in `{path}`. Replace `{name}` with the following:",
    "I've fixed the bug in `{path}`, where `{name}` went wrong.\n\nReplace it with:",
    "Modify `{name}()` in `{path}` like this:",
)
BETWEEN = ("", "", "The `{name}` {kind} now reads:\n\n", "Replace `{name}`:\n\n", "Update `{name}` as follows:\n\n")
PAIRS = (
    ("Before:", "After:"), ("**Before**", "**After**"), ("### Before", "### After"), ("Replace this:", "with this:"),
    ("Change this code:", "to this:"), ("Old code:", "New code:"), ("Original:", "Updated:"), ("Find:", "Replace with:"),
)  # fmt: skip


class Change(NamedTuple):
    """A file before and after, as lines."""

    path: str
    before: list[str]
    after: list[str]


class One(NamedTuple):
    """The one function that a change is in, as it was and as it is; the class around it, if there is one."""

    old: Symbol
    new: Symbol
    outer: Symbol | None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--repo", action="append", default=[], help="a git repository; default: this one")
    options.add_argument("--last", type=int, default=400, help="so many commits of each")
    options.add_argument("--changes", type=int, default=400, help="at most so many changes of each source")
    options.add_argument("--invented", type=int, default=-1, help="so many edits of files of this machine")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--wrong", type=int, default=0, help="print so many wrong edits")
    options.add_argument("--refused", type=int, default=0, help="print so many refusals")
    options.add_argument("--way", action="append", default=[], help="tell the changes in this way only")
    chosen = options.parse_args()
    count = chosen.invented if chosen.invented >= 0 else 0 if chosen.repo else chosen.changes
    left = {"wrong": chosen.wrong, "refused": chosen.refused}
    sources = {repo: commits(repo, chosen.last, chosen.seed) for repo in chosen.repo or [str(TOP)]}
    sources["files of this machine"] = invented(chosen.seed)
    ways: dict[str, Counter[str]] = {}
    languages: dict[str, Counter[str]] = {}
    for source, changes in sources.items():
        most = chosen.changes if source != "files of this machine" else count
        for change in islice(filter(is_tellable, changes), most):
            for way, answer in told(change, chosen.seed):
                if chosen.way and way not in chosen.way:
                    continue
                verdict, detail = judged(change, answer)
                ways.setdefault(way, Counter())[verdict] += 1
                if way in EIGHT:
                    languages.setdefault(grammar_of(change.path), Counter())[verdict] += 1
                if left.get(verdict, 0) > 0 and (way != "hunks" or chosen.way == [way]):
                    left[verdict] -= 1
                    explain(change, way, answer, verdict, detail)
    table("told", {way: ways[way] for way in (*EIGHT, *OTHERS) if way in ways})
    table("language, the eight ways", dict(sorted(languages.items())))
    sys.exit(1 if any(counts["wrong"] for counts in ways.values()) else 0)


def table(title: str, rows: dict[str, Counter[str]]) -> None:
    print(f"{title:<26}{'right':>8}{'refused':>9}{'wrong':>7}{'right %':>9}")
    for name, counts in rows.items():
        cells = [counts[word] for word in ("right", "refused", "wrong")]
        print(f"{name:<26}{cells[0]:>8}{cells[1]:>9}{cells[2]:>7}{100 * cells[0] / max(sum(cells), 1):>8.1f} %")


# ── changes ──────────────────────────────────────────────────────────────────────────────────────


def commits(repo: str, last: int, seed: int) -> Iterator[Change]:
    """What the last commits of a repository changed in files that stayed."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", repo, *arguments], check=True, capture_output=True).stdout

    log = git(
        "log", "-n", str(last), "--no-merges", "--diff-filter=M", "--format=", "--raw", "--no-abbrev", "--no-renames"
    )
    rows = [row.split("\t") for row in log.decode("utf-8", "surrogateescape").split("\n") if row.startswith(":")]
    random.Random(seed).shuffle(rows)
    for said, path in rows:
        if path.endswith((".jsonl", ".lock", ".svg", ".min.js")) or " 120000 " in said:
            continue
        try:
            before, after = (git("cat-file", "blob", blob).decode() for blob in said.split()[2:4])
        except (UnicodeDecodeError, subprocess.CalledProcessError):
            continue  # other encodings, and what a clone in part doesn't have
        if before.endswith("\n") and after.endswith("\n") and "\r" not in before + after and "\0" not in before + after:
            yield Change(path, before[:-1].split("\n"), after[:-1].split("\n"))


def invented(seed: int) -> Iterator[Change]:
    """Edits as programmers make them, in files of this machine in many languages."""
    files = corpus()
    for number in range(1_000_000):
        rng = random.Random(seed * 1_000_003 + number)
        path, text = rng.choice(files)
        made = mistakes.make_change(path, text, rng)
        if made is not None:
            texts = [data.decode().replace("\r\n", "\n").removesuffix("\n") for data in (made.before, made.after)]
            yield Change(path, texts[0].split("\n"), texts[1].split("\n"))


def is_tellable(change: Change) -> bool:
    """Whether a change can be told without more words: what takes whole functions away is refused unless said."""
    if not 4 <= len(change.before) <= LONGEST or bare(change.before) == bare(change.after):
        return False
    if change.before[0] != change.after[0] and top_of(change.before, change.path):
        return False  # a licence or `package` that goes: what isn't shown above the first line stays
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (change.before, change.after))
    return shrinking(change.path, before, after, Patch("", (), "")) is None


def symbols(path: str, lines: list[str]) -> list[Symbol]:
    grammar = grammar_of(path)
    read = symbols_of(grammar, path, "\n".join([*lines, ""])) if grammar not in ("", "xml", "html") else None
    return read.rows if read and not read.errors else []


def one_function(change: Change) -> One | None:
    """The function in which all of the change is; None where it is in several, or outside of any."""
    old, new = (symbols(change.path, lines) for lines in (change.before, change.after))
    ranges = opcodes(change.before, change.after)
    low, high = ranges[0][2], max(ranges[-1][3], ranges[0][2] + 1)
    around = [one for one in new if one.lead <= low and high <= one.last + 1 and one.kind in CODE]
    if not around:
        return None
    member = min(around, key=lambda one: len(one.parts))
    same = [one for one in old if one.parts == member.parts]
    namesakes = [one for one in new if one.parts == member.parts]
    outer = [one for one in new if one.parts == member.parts[:-1] and one.lead <= member.lead <= one.last]
    if len(same) != 1 or len(namesakes) != 1 or ranges[-1][1] > same[0].last + 1 or ranges[0][0] < same[0].lead:
        return None
    return One(same[0], member, outer[0] if len(outer) == 1 and outer[0].kind in TYPES else None)


# ── ways to tell a change ────────────────────────────────────────────────────────────────────────


EIGHT = ("prose", "bold", "heading", "path", "comment", "before", "class", "column 0")
OTHERS = ("imports", "end", "below", "inline", "numbers", "whole", "call", "context", "member", "hunks")


def told(change: Change, seed: int) -> Iterator[tuple[str, str]]:
    """Each way with the answer that a model would write."""
    rng = random.Random(f"{seed} {change.path} {change.after}")
    path = change.path
    ranges = opcodes(change.before, change.after)
    whole = [*change.after]
    yield "whole", f"{path}\n{fenced(path, whole)}"
    yield "call", call(change, ranges, rng)
    yield "context", f"{path}\n{fenced(path, in_context(change, ranges))}"
    hunks = joined([(new_start, new_end) for _, _, new_start, new_end in ranges], len(change.after))
    yield "hunks", f"{path}\n{fenced(path, [line for low, high in hunks for line in [*change.after[low:high], '']])}"
    yield from with_imports(change, rng)
    yield from in_one_place(change, ranges, rng)
    one = one_function(change)
    if one is None:
        return
    named = {"path": path, "name": one.new.name, "kind": "method" if one.outer else "function"}
    if one.old.lead < one.old.first and one.new.lead == one.new.first:
        # `/** @return void */` goes for a type in the header: comments that aren't shown stay, so only a pair tells it
        yield "before", before_and_after(change, one, rng, named)
        return
    shown = function(change, one, rng)
    between = rng.choice(BETWEEN).format(**named)
    yield "prose", f"{rng.choice(SENTENCES).format(**named)}\n\n{fenced(path, shown)}"
    bold = rng.choice(("**{path}**", "**`{path}`**", "**{path}**:", "**File: `{path}`**")).format(**named)
    yield "bold", f"{bold}\n\n{between}{fenced(path, shown)}"
    heading = rng.choice(("### {path}", "## `{path}`", "### 1. `{path}`", "#### {path}")).format(**named)
    yield "heading", f"{heading}\n\n{between}{fenced(path, shown)}"
    yield "path", f"{rng.choice(('', 'This should fix it:' + chr(10) * 2))}{path}\n{fenced(path, shown)}"
    signs = "#" if mark(path)[0] == "#" else "//"
    sentence = rng.choice(("", "", "Here is the fixed version:\n\n"))
    yield "comment", f"{sentence}{fenced(path, [f'{signs} {path}', *shown])}"
    yield "before", before_and_after(change, one, rng, named)
    if one.outer is not None:
        yield (
            "class",
            f"{rng.choice((path, f'In `{path}`, update `{one.new.name}`:' + chr(10)))}\n{fenced(path, in_class(change, one, shown))}",
        )
        yield "member", f"{path}\n{fenced(path, as_member(change, one, shown))}"
        flat = dedented(shown)
        lead = rng.choice((path, f"In `{path}`, replace `{one.new.name}` with:\n"))
        yield "column 0", f"{lead}\n{fenced(path, flat)}"


def with_imports(change: Change, rng: random.Random) -> Iterator[tuple[str, str]]:
    """The function that changes below the imports that are new, where the change is nothing else."""
    path, known = change.path, {one.words for one in imports_in(change.path, change.before)}
    new = [one for one in imports_in(path, change.after) if one.words not in known]
    rows = {row for one in new for row in range(one.start, one.end)}
    less = change._replace(after=[line for row, line in enumerate(change.after) if row not in rows])
    one = one_function(less) if new and bare(less.after) != bare(change.before) else None
    if one is not None:
        imports = [line for row, line in enumerate(change.after) if row in rows]
        if lists := import_lists(path, change.after):  # Go: one by one, in a list of their own, or with all others
            alone = [f"import {line.strip().removeprefix('import ')}" for line in imports]
            every = [line for rows in lists for line in change.after[rows.start : rows.stop]]
            imports = rng.choice((alone, ["import (", *(f"\t{line[7:]}" for line in alone), ")"], every))
        named = {"path": path, "name": one.new.name, "kind": "method" if one.outer else "function"}
        shown = [*imports, "", *function(less, one, rng)]
        yield "imports", f"{rng.choice(SENTENCES).format(**named)}\n\n{fenced(path, shown)}"


def in_one_place(
    change: Change, ranges: list[tuple[int, int, int, int]], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """A change of one line in a sentence; lines that are new below the line above them, or at the end of the file."""
    start, end, new_start, new_end = ranges[0]
    if len(ranges) > 1:
        return
    old, new = change.before[start:end], change.after[new_start:new_end]
    path = change.path
    alike = [line[: len(line) - len(line.lstrip())] for line in (*old, *new)]
    if len(old) == len(new) == 1 and alike[0] == alike[1] and "`" not in old[0] + new[0] and old[0].strip():
        one, two = (line.strip() for line in (*old, *new))
        if rng.random() < 0.5:  # only the words that differ, and those around them
            first, second = one.split(" "), two.split(" ")
            low, high = shared(first, second), shared(first[::-1], second[::-1])
            parts = [" ".join(words[max(low - 1, 0) : len(words) - high + 1]) for words in (first, second)]
            if all(parts) and old[0].replace(parts[0], parts[1], 1) == new[0]:
                one, two = parts
        sentences = ("In `{path}`, change `{one}` to `{two}`.", "Replace `{one}` with `{two}` in `{path}`.")
        yield "inline", rng.choice(sentences).format(path=path, one=one, two=two)
    if old and new and trimmed(new) == new and trimmed(old) == old:
        # Now and then a line too low, as models count.
        off = rng.choice((0, 0, 0, 1, -1))
        numbers = f"lines {start + 1 + off}-{end + off}" if len(old) > 1 else f"line {end + off}"
        yield "numbers", f"{rng.choice(('Replace', 'Change'))} {numbers} of `{path}` to:\n\n{fenced(path, new)}"
    new = trimmed(new)
    if old or not new:
        return
    above = next((line for line in reversed(change.before[:start]) if line.strip()), "")
    if not any(map(str.strip, change.before[start:])):
        sentences = ("Add this to the end of `{path}`:", "Append the following to `{path}`:")
        yield "end", f"{rng.choice(sentences).format(path=path)}\n\n{fenced(path, new)}"
    elif above and "`" not in above and change.before[start - 1] == above:
        sentences = ("In `{path}`, after `{above}`, add:", "Add this right below `{above}` in `{path}`:")
        yield "below", f"{rng.choice(sentences).format(path=path, above=above.strip())}\n\n{fenced(path, new)}"


def shared(one: list[str], two: list[str]) -> int:
    """How many words two lists begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones at either end."""
    solid = [row for row, line in enumerate(lines) if line.strip()]
    return lines[solid[0] : solid[-1] + 1] if solid else []


def fenced(path: str, lines: list[str]) -> str:
    suffix = path.rpartition(".")[2]
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return "\n".join([fence + LANGUAGES.get(suffix, suffix if grammar_of(path) else ""), *lines, fence, ""])


def function(change: Change, one: One, rng: random.Random) -> list[str]:
    """The function as it is shown: without unchanged comments above it now and then, as people leave them out."""
    old, new = (lines[one_.lead : one_.first] for lines, one_ in ((change.before, one.old), (change.after, one.new)))
    start = one.new.first if old == new and rng.random() < 0.5 else one.new.lead
    return change.after[start : one.new.last + 1]


def before_and_after(change: Change, one: One, rng: random.Random, named: dict[str, str]) -> str:
    first, second = rng.choice(PAIRS)
    old, new = change.before[one.old.lead : one.old.last + 1], change.after[one.new.lead : one.new.last + 1]
    if rng.random() < 0.3:
        old, new = dedented(old), dedented(new)
    lead = rng.choice(("In `{path}`:", "### {path}", "**{path}**", "{path}", "Update `{name}` in `{path}`:")).format(
        **named
    )
    return f"{lead}\n\n{first}\n\n{fenced(change.path, old)}\n{second}\n\n{fenced(change.path, new)}"


def in_class(change: Change, one: One, shown: list[str]) -> list[str]:
    """The head of the class as it is on its first line, the method, and its last line, with marks around the method."""
    assert one.outer is not None
    indent = change.after[one.new.first][: len(change.after[one.new.first]) - len(change.after[one.new.first].lstrip())]
    stays = indent + mark(change.path)
    last = change.after[one.outer.last]
    closer = [last] if not any(map(str.isalnum, last)) or last.strip() == "end" else []
    head = change.after[one.outer.first : header_end(change, one.outer)]
    return [*head, stays, "", *shown, "", stays, *closer]


def header_end(change: Change, outer: Symbol) -> int:
    """The row behind the class's header: up to the line with which its body begins."""
    end = outer.row
    if change.path.endswith(".rb"):
        return end + 1
    while end < outer.last and not change.after[end].rstrip().endswith(("{", ":")):
        end += 1
    return end + 1 if change.after[end].rstrip().endswith(("{", ":")) else outer.row + 1


def as_member(change: Change, one: One, shown: list[str]) -> list[str]:
    """The same with marks for the rest of the file too."""
    assert one.outer is not None
    stays, inside = mark(change.path), in_class(change, one, shown)
    return [*[stays] * (one.outer.first > 0), *inside, *[stays] * (one.outer.last < len(change.after) - 1)]


def dedented(lines: list[str]) -> list[str]:
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[depth:] for line in lines]


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


def call(change: Change, ranges: list[tuple[int, int, int, int]], rng: random.Random) -> str:
    """The change as a tool call: the file in full, or old and new text with as many lines around as make it unique."""
    whole = "".join(f"{line}\n" for line in change.after)
    low, high = ranges[0][0], ranges[-1][1]
    tail = len(change.before) - high
    text = "\n".join(change.before)
    around = 0
    while around < len(change.before):
        start, end = max(low - around, 0), min(high + around, len(change.before))
        old = "\n".join(change.before[start:end])
        if old.strip() and text.count(old) == 1:
            break
        around += 1
    new = "\n".join(change.after[start : len(change.after) - tail + (end - high)])
    return json.dumps(
        rng.choice(
            (
                {
                    "name": "str_replace_based_edit_tool",
                    "input": {"command": "str_replace", "path": change.path, "old_str": old, "new_str": new},
                },
                {"file_path": change.path, "old_string": old, "new_string": new},
                {"name": "write_file", "arguments": {"path": change.path, "content": whole}},
                {
                    "name": "replace_in_file",
                    "input": {"path": change.path, "diff": f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"},
                },
            )
        )
    )


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


def bare(lines: list[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


def ordered(path: str, lines: list[str]) -> tuple[list[str], list[str]]:
    """The imports in the order of the alphabet, and the other lines as they stand; blanks aside."""
    found = imports_in(path, lines)
    rows = {row for one in found for row in range(one.start, one.end)}
    return sorted(one.words for one in found), bare([line for row, line in enumerate(lines) if row not in rows])


def judged(change: Change, answer: str) -> tuple[str, str]:
    """What became of the change: right, refused (and why) or wrong (and what the file became)."""
    result = anypatch.apply_to(answer, {change.path: "".join(f"{line}\n" for line in change.before)})
    if not result.ok:
        return "refused", "\n".join(f"{problem.kind}: {problem.detail}" for problem in result.problems)
    lines = str(result.files[change.path]).removesuffix("\n").split("\n")
    if lines == change.before:
        return "refused", "a no-op, and it says so"  # what is shown stands in the file already
    if ordered(change.path, lines) == ordered(change.path, change.after) and len(result.files) == 1:
        return "right", ""
    return "wrong", "\n".join(lines)


def explain(change: Change, way: str, answer: str, verdict: str, detail: str) -> None:
    print(f"━━ {verdict}: {change.path}, {way}")
    if verdict == "refused":
        print(detail)
    print(answer)
    print("── wanted")
    show(change.before, change.after)
    if verdict == "wrong":
        print("── became")
        show(change.before, detail.split("\n"))


def show(old: list[str], new: list[str]) -> None:
    for a, b, c, d in opcodes(old, new):
        print(f"@@ {a + 1}", *(f"-{line}" for line in old[a:b]), *(f"+{line}" for line in new[c:d]), sep="\n")


if __name__ == "__main__":
    main()
