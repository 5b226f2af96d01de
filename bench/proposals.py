"""How often each rule for sketches is right: proposals of answers whose wanted result is known.

    python bench/proposals.py ROWS.jsonl

ROWS: as for `bench/leniencies.py`. All proposals are accepted. Of each rule: how many answers it proposes something for,
and how many come out as wanted (trailing space and blank lines aside); of answers with marked edits how many
a proposal holds back.
"""

from __future__ import annotations

import collections
import json
import sys

import anypatch
from anypatch.model import Proposal

Row = dict[str, object]


def plain(text: object) -> list[str]:
    return [line.rstrip() for line in str(text).split("\n") if line.strip()]


def is_wanted(row: Row, after: dict[str, object]) -> bool:
    """Return True if the files are one of the right results."""
    before: dict[str, object] = row["before"]  # type: ignore[assignment]
    goods: list[dict[str, object]] = row.get("goods") or [row.get("wanted")]  # type: ignore[assignment]
    return any(
        isinstance(good, dict)
        and all(plain(after.get(path)) == plain({**before, **good}.get(path)) for path in {*before, *good, *after})
        for good in goods
    )


def main() -> int:
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    stated = held = 0
    with open(sys.argv[1], encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        if row["format"] or not isinstance((row.get("goods") or [row.get("wanted")])[0], dict):
            continue
        result = anypatch.apply_to(row["answer"], row["before"], syntax="off", accept="all")
        proposals = [one for one in result.plan.sketched if isinstance(one, Proposal)]
        if result.plan.patch.ops:
            stated += 1
            held += bool(proposals)
            continue
        kind = "real" if row["set"].startswith("real") else "retold"
        word = "not applied" if not result.ok else "right" if is_wanted(row, dict(result.files)) else "wrong"
        for rule in {str(one.rule) for one in proposals} or {"none"}:
            counts[f"{kind}: {rule}"][word] += 1
    for name, found in sorted(counts.items()):
        told = ", ".join(f"{word} {count}" for word, count in found.most_common())
        print(f"{name:20} {sum(found.values()):5}  {told}")
    print(f"of {stated} answers with marked edits a proposal holds back {held}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
