"""The summary of a batch: how many rows were applied or refused, by format and reason, and how long they took."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from typing import Any

from .result_row import ResultRow

_STEP = 0.02  # of the logarithm of milliseconds: a quantile is exact to 2 %

OUTCOMES = ("applied", "partial", "proposed", "refused")


class Summary:
    """Counts of a batch, in memory that doesn't grow with the number of rows."""

    def __init__(self) -> None:
        self.rows = self.ok = self.partial = self.proposed = 0
        self.formats: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: ResultRow) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        self.proposed += result["status"] == "proposed"
        self.formats[result["format"] or "unknown", result["status"]] += 1
        self.kinds.update({problem["kind"] for problem in result["problems"]})
        self.levels.update(result["levels"])
        self._total += result["ms"]
        self._times[round(log(max(result["ms"], 0.001)) / _STEP)] += 1

    def quantile(self, share: float) -> float:
        """Return the milliseconds that this share of the rows took at most."""
        left = share * self.rows
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return round(exp(step * _STEP), 2)
        return 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        names = sorted({name for name, _ in self.formats})
        return {
            "rows": self.rows,
            "applied": self.ok,
            "partial": self.partial,
            "proposed": self.proposed,
            "refused": self.rows - self.ok - self.partial - self.proposed,
            "by_format": {name: {outcome: self.formats[name, outcome] for outcome in OUTCOMES} for name in names},
            "by_kind": dict(self.kinds.most_common()),
            "by_level": dict(self.levels.most_common()),
            "ms": {"median": self.quantile(0.5), "p95": self.quantile(0.95), "total": round(self._total)},
        }

    def lines(self) -> list[str]:
        """Return the summary as a table."""
        value = self.as_json()
        rows: list[tuple[str, ...]] = [("format", "rows", *OUTCOMES, "")]
        for name, counts in [*value["by_format"].items(), ("all", value)]:
            numbers = [counts[outcome] for outcome in OUTCOMES]
            total = sum(numbers)
            share = f"{numbers[0] / total:.1%}" if total else ""
            rows.append((name, f"{total:,}", *(f"{number:,}" for number in numbers), share))
        lines = _table(rows)
        if self.kinds:
            kinds = [(kind, f"{count:,}") for kind, count in self.kinds.most_common()]
            lines += ["", *_table([("refused because of", "rows"), *kinds])]
        return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the first column aligned to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    return lines
