"""Compare the cases of tests/cases with what happens now, and bring them up to date.

    python tools/cases.py                       say which cases differ, and how
    python tools/cases.py --update              rewrite their reports (notes.txt, refused.txt, proposed.txt)
    python tools/cases.py --update --results    rewrite their results as well: after/, kinds of problems

Both take the GROUP/NAME of cases, by default all. `--update` also turns lines of tests/cases/*.jsonl into folders,
except those that a folder can't hold. Look at the difference before you commit it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).parent.parent
sys.path[:0] = [str(TOP / "tests")]

from support.cases import HOME, Case, fits_folder, ids, in_memory, outcome, put, read  # noqa: E402 - the tests lie beside


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="GROUP/NAME")
    parser.add_argument("--update", action="store_true", help="rewrite reports")
    parser.add_argument("--results", action="store_true", help="with --update, also after/ and the kinds of problems")
    arguments = parser.parse_args()
    other_results = 0
    for id in arguments.cases or ids():
        case = read(id)
        now = outcome(case, in_memory(case))
        if (now.after, now.kinds) != (case.after, case.kinds):
            print(f"{id}: {_in_short(case)} → {_in_short(now)}")
            other_results += not arguments.results
            now = now if arguments.results else case
        elif now != case:
            print(f"{id}: other report")
        if arguments.update and (now != case or (fits_folder(case) and not (HOME / id).is_dir())):
            write(now)
    return 1 if other_results else 0


def _in_short(case: Case) -> str:
    return " ".join(case.kinds) if case.after is None else f"applied: {case.after}"


def write(case: Case) -> None:
    """Write a case: as a folder, or as a line of its group's file if a folder can't hold it."""
    folder, file = HOME / case.id, HOME / f"{case.group}.jsonl"
    shutil.rmtree(folder, ignore_errors=True)
    row = as_row(case)
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = {value["name"]: value for value in map(json.loads, lines)}
    if fits_folder(case):
        rows.pop(case.name, None)
        write_folder(folder, row)
    else:
        rows[case.name] = row
    if rows:
        file.write_text("".join(json.dumps(value) + "\n" for value in rows.values()), encoding="utf-8")
    else:
        file.unlink(missing_ok=True)


def as_row(case: Case) -> dict[str, Any]:
    """Return the case as an object for JSON, entries without a value left out."""
    after = "after" if case.wanted is None else "now"
    row = {"name": case.name, "why": case.why, "options": case.options, "patch": case.patch, "before": case.before}
    results = {"base": case.base, after: case.after, "wanted": case.wanted}
    reports = {"notes": case.notes, "refused": case.refused, "proposed": case.proposed}
    return (
        {key: value for key, value in row.items() if value}
        | {key: tree for key, tree in results.items() if tree is not None}
        | {key: report for key, report in reports.items() if report}
    )


def write_folder(folder: Path, row: dict[str, Any]) -> None:
    files: dict[str, str] = {}
    for key, value in row.items():
        if isinstance(value, dict) and key != "options":
            files |= {f"{key}/{path}": text for path, text in value.items()}
        elif key == "options":
            files["options.toml"] = "".join(f"{name} = {json.dumps(option)}\n" for name, option in value.items())
        elif key == "patch":
            files["answer.md" if "```" in value or "~~~" in value else "patch.txt"] = value
        elif key != "name":
            files[f"{key}.txt"] = value
    put(files, folder)


if __name__ == "__main__":
    sys.exit(main())
