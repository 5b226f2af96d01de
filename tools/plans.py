"""Results of thousands of patches, as plain values: recorded once, compared after every change of the core.

    python tools/plans.py record FILE.jsonl.gz [--changes 60] [--seed 7]
    python tools/plans.py compare FILE.jsonl.gz [--show 3]

The patches: the cases of tests/cases, and real changes out of this repository's history, written in
every format and spoilt as models spoil them (tests/support/mistakes.py). A row holds the files, the patch, whether it
was applied, the kinds of its problems and what became of the files, so that nothing has to be generated again to
compare. `compare` counts what differs, by format and in which way, and exits with 1 where files came out otherwise.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TOP = Path(__file__).parent.parent
sys.path[:0] = [str(TOP / "tests"), str(TOP / "bench")]

import anypatch.api  # noqa: E402 - the tests lie beside


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("action", choices=("record", "compare"))
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--changes", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=7)
    arguments.add_argument("--show", type=int, default=0, help="print so many differences of each kind")
    options = arguments.parse_args()
    if options.action == "record":
        return record(options.file, options.changes, options.seed)
    return compare(options.file, options.show)


# ── recording ────────────────────────────────────────────────────────────────────────────────────


def record(file: Path, changes: int, seed: int) -> int:
    blobs: set[str] = set()
    count = 0
    with gzip.GzipFile(file, "wb", mtime=0) as out:
        for name, format, before, patch in (*cases(), *spoilt(changes, seed)):
            for text in before.values():
                if name_of(text) not in blobs:
                    blobs.add(name_of(text))
                    out.write(line({"blob": name_of(text), "text": text}))
            files = {path: name_of(text) for path, text in before.items()}
            result = {"name": name, "format": format, "before": files, "patch": patch}
            out.write(line({**result, **outcome(patch, before, format)}))
            count += 1
    print(f"{count} patches recorded")
    return 0


def cases() -> Iterator[tuple[str, str, dict[str, str], str]]:
    from support.cases import load

    for case in load():
        yield case.id, case.format or "", case.before, case.patch


def spoilt(changes: int, seed: int) -> Iterator[tuple[str, str, dict[str, str], str]]:
    import accuracy

    for number, case in enumerate(accuracy.spoilt(accuracy.history(str(TOP)), changes, seed)):
        before = {path: data.decode("utf-8", "surrogateescape") for path, data in case.tree.items()}
        yield f"{case.format}: {case.spoil} #{number}", case.format if case.named else "", before, case.text


def line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True).encode() + b"\n"


def name_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def outcome(patch: str, before: dict[str, str], format: str) -> dict[str, Any]:
    """Return the result of a patch, as plain values."""
    result = anypatch.apply_to(patch, before, format=anypatch.api.format_given(format))
    after = {path: name_of(str(text)) for path, text in sorted(result.files.items()) if before.get(path) != text}
    gone = sorted(set(before) - set(result.files))
    kinds = sorted({problem.kind for problem in result.problems})
    return {"ok": result.ok, "kinds": kinds, "after": after, "gone": gone}


# ── comparing ────────────────────────────────────────────────────────────────────────────────────


def compare(file: Path, show: int) -> int:
    tally: Counter[tuple[str, str]] = Counter()
    shown: Counter[tuple[str, str]] = Counter()
    for row, before in rows(gzip.open(file, "rt")):  # noqa: SIM115 - read to its end
        now = outcome(row["patch"], before, row["format"])
        word = difference(row, now)
        key = (row["name"].split("#")[0].split(":")[0], word)
        tally[key] += 1
        if word != "same" and shown[key] < show:
            shown[key] += 1
            print(f"── {row['name']}: {word}\n{row['patch'][:1500]}")
    for (format, word), count in sorted(tally.items()):
        if word != "same":
            print(f"{format:34} {word:60} {count:6}")
    print(f"{sum(tally.values())} patches, {sum(n for (_, word), n in tally.items() if word == 'same')} the same")
    return 1 if any(word == "other files" for _, word in tally) else 0


def rows(lines: Iterable[str]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    blobs: dict[str, str] = {}
    for text in lines:
        row = json.loads(text)
        if "blob" in row:
            blobs[row["blob"]] = row["text"]
        else:
            yield row, {path: blobs[name] for path, name in row["before"].items()}


def difference(was: dict[str, Any], now: dict[str, Any]) -> str:
    if was["ok"] and now["ok"]:
        return "same" if (was["after"], was["gone"]) == (now["after"], now["gone"]) else "other files"
    if was["ok"]:
        return f"applied → refused: {' '.join(now['kinds'])}"
    if now["ok"]:
        return f"refused ({' '.join(was['kinds'])}) → applied"
    return "same" if was["kinds"] == now["kinds"] else f"refused: {' '.join(was['kinds'])} → {' '.join(now['kinds'])}"


if __name__ == "__main__":
    sys.exit(main())
