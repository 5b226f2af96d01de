"""Score the repairs that refusals offer: failed edits of real models, corrected, beside what the model reached next.

    python bench/repairs.py ROWS.jsonl             counts by kind of problem and by how the old lines differ
    python bench/repairs.py ROWS.jsonl --show 3    with examples of repairs that make another text

ROWS has an object for each answer: `before` {path: text}, `answer`, `format`, and `reached` {path: text}, the files after
the model's next attempt that its tool took; rows without `reached` are skipped. Each refused row is applied again with
the first correction of each problem. `equal`: the files are what the model reached; `alike`: except for white space at the
ends of lines, blank lines and, in Python, what doesn't change the program; `other`: another text, which may be as good.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
from collections import Counter
from pathlib import Path

import anypatch
from anypatch.author.resend import resend
from anypatch.repair import corrected_patch

VERDICTS = ("equal", "alike", "other", "no repair")
Files = dict[str, str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("rows", type=Path)
    options.add_argument("--show", type=int, default=0, help="print so many repairs that make another text")
    chosen = options.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    shown = 0
    with chosen.rows.open() as rows:
        for line in rows:
            row = json.loads(line)
            if row.get("reached") is None:
                continue
            result = anypatch.apply_to(row["answer"], row["before"], format=row.get("format") or None)
            if result.ok or result.status == "proposed":
                continue
            kinds = " + ".join(sorted({problem.kind for problem in result.problems}))
            files = repaired(result, row["before"])
            verdict = judged(files, row["before"] | row["reached"])
            counts[kinds, verdict] += 1
            if verdict == "other" and files is not None and shown < chosen.show:
                shown += 1
                explain(row, files, result)
    print(f"{'refused because of':40}" + "".join(f"{verdict:>10}" for verdict in VERDICTS))
    for kinds in sorted({kinds for kinds, _ in counts}, key=lambda name: -sum(counts[name, v] for v in VERDICTS)):
        print(f"{kinds:40}" + "".join(f"{counts[kinds, verdict]:10}" for verdict in VERDICTS))
    print(f"{'all':40}" + "".join(f"{sum(counts[k, v] for k, v in counts if v == verdict):10}" for verdict in VERDICTS))


def repaired(result: anypatch.Result, before: Files) -> Files | None:
    """Return the files with the first correction of each problem taken; None if a problem has none, or they don't fit together."""
    if not result.problems or not all(len(problem.corrected) == 1 for problem in result.problems):
        return None
    patch = corrected_patch(result, [0] * len(result.problems))
    if patch is None:
        return None
    again = anypatch.apply_to(resend(patch.ops, patch.format), before)
    return dict(again.files) if again.ok else None


def judged(files: Files | None, reached: Files) -> str:
    if files is None:
        return "no repair"
    names = files.keys() | reached.keys()
    if all(files.get(name) == reached.get(name) for name in names):
        return "equal"
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
