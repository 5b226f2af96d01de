"""Score the repairs that refusals offer: failed edits of real models, corrected, beside what the model reached next.

    python bench/repairs.py ROWS.jsonl             counts by rule: how the old lines of the answer differ from the file's
    python bench/repairs.py ROWS.jsonl --show 3    with examples of repairs that make another text

ROWS has an object for each answer: `before` {path: text}, `answer`, `format`, and `reached` {path: text}, the files after
the model's next attempt that its tool took; rows without `reached` are skipped. Each refused row is applied again with
the corrections of its problems; where they leave a choice of places, with each choice, and the best one counts. `equal`:
the files are what the model reached; `alike`: except for white space at the ends of lines, blank lines and, in Python,
what doesn't change the program; `no-op`: both changed nothing; `other`: another text, which may be as good.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
from collections import Counter
from itertools import islice, product
from pathlib import Path

import anypatch
from anypatch.author.resend import resend
from anypatch.model import Edit, Hunk, Op
from anypatch.problems import Problem
from anypatch.repair import corrected_op, corrected_patch

VERDICTS = ("equal", "alike", "no-op", "other")  # the best one first
CHOICES = 64  # so many combinations of corrections are tried
Files = dict[str, str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("rows", type=Path)
    options.add_argument("--show", type=int, default=0, help="print so many repairs that make another text")
    chosen = options.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    without: Counter[str] = Counter()
    failed = 0
    with chosen.rows.open() as rows:
        for line in rows:
            row = json.loads(line)
            if row.get("reached") is None:
                continue
            failed += 1
            result = anypatch.apply_to(row["answer"], row["before"], format=row.get("format") or None)
            if result.ok or result.status == "proposed":
                continue
            repairs = repaired(result, row["before"])
            if not repairs:
                without[" + ".join(sorted({*result.kinds}))] += 1
                continue
            verdicts = [judged(files, row["before"], row["before"] | row["reached"]) for files in repairs]
            verdict = min(verdicts, key=VERDICTS.index)
            counts[rules(result), verdict] += 1
            if verdict == "other" and counts.total() <= chosen.show:
                explain(row, repairs[0], result)
    offered = sum(counts.values())
    print(f"{failed} failed; {offered + without.total()} are refused here, too; {offered} get a repair")
    print(f"{'how the old lines differ':40}" + "".join(f"{verdict:>8}" for verdict in VERDICTS))
    for rule in sorted({rule for rule, _ in counts}):
        print(f"{rule:40}" + "".join(f"{counts[rule, verdict]:8}" for verdict in VERDICTS))
    print("without: " + ", ".join(f"{kinds} {count}" for kinds, count in without.most_common()))


def repaired(result: anypatch.Result, before: Files) -> list[Files]:
    """Return the files with each choice of corrections taken; none if a problem has no correction, or they don't fit."""
    found = []
    for picks in islice(product(*(range(len(problem.corrected)) for problem in result.problems)), CHOICES):
        patch = corrected_patch(result, picks)
        again = anypatch.apply_to(resend(patch.ops, patch.format), before) if patch else None
        if again and again.ok:
            found.append(dict(again.files))
    return found if result.problems else []


def rules(result: anypatch.Result) -> str:
    """Return how the answer differs from the files, for all problems."""
    ops = {outcome.number: outcome.op for outcome in result.plan.outcomes}
    found = {rule(ops[problem.op], problem, result.plan.patch.format) for problem in result.problems}
    return " + ".join(sorted(found))


def rule(op: Op, problem: Problem, format: str) -> str:
    if problem.kind != "not_found":
        return "in several places" if problem.kind == "ambiguous" else "another path"
    said, found = old_lines(op), old_lines(corrected_op(op, problem, 0, format))
    if " ".join(said).split() == " ".join(found).split():
        return "white space"
    return "otherwise spelt" if len(said) == len(found) else "other context"


def old_lines(op: Op | None) -> list[str]:
    """Return the old lines of an edit that aren't blank."""
    hunks = [hunk for hunk in op.hunks if isinstance(hunk, Hunk)] if isinstance(op, Edit) else []
    return [line for hunk in hunks for line in hunk.old.split("\n") if line.strip()]


def judged(files: Files, before: Files, reached: Files) -> str:
    names = files.keys() | reached.keys()
    if all(files.get(name) == reached.get(name) for name in names):
        return "no-op" if files == before else "equal"
    alike = all(gist(name, files.get(name)) == gist(name, reached.get(name)) for name in names)
    return "alike" if alike else "other"


def gist(path: str, text: str | None) -> object:
    """Return what matters of a text: its program, or its lines without the white space around them."""
    if text is None:
        return None
    if path.endswith(".py"):
        try:
            return ast.dump(ast.parse(text))
        except (SyntaxError, ValueError):
            pass
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def explain(row: dict[str, Files], files: Files, result: anypatch.Result) -> None:
    print(f"\n=== {row['id']}\n{result}")
    for name in sorted(files.keys() | row["reached"].keys()):
        wanted, got = row["reached"].get(name, row["before"].get(name, "")), files.get(name, "")
        if wanted != got:
            pair = wanted.splitlines(), got.splitlines()
            print("\n".join(difflib.unified_diff(*pair, f"{name} as reached", "as repaired", n=2, lineterm="")))


if __name__ == "__main__":
    main()
