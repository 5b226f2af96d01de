"""What a batch comes to: how many answers were applied, by format; why the others were not, by kind. Counts only."""

from __future__ import annotations

from collections import Counter
from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rows import Result

_STEP = 0.02  # of the logarithm of milliseconds: a quantile is right to 2 %


class Summary:
    """Counts that grow row by row, and never with their number."""

    def __init__(self) -> None:
        self.rows = self.ok = self.partial = 0
        self.formats: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: Result) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        outcome = "applied" if result["ok"] else "partial" if result["partial"] else "refused"
        self.formats[result["format"] or "unknown", outcome] += 1
        self.kinds.update({problem["kind"] for problem in result["problems"]})
        self.levels.update(result["levels"])
        self._total += result["ms"]
        self._times[round(log(max(result["ms"], 0.001)) / _STEP)] += 1

    def quantile(self, share: float) -> float:
        """The milliseconds that this share of the rows took at most."""
        left = share * self.rows
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return round(exp(step * _STEP), 2)
        return 0.0

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        names = sorted({name for name, _ in self.formats})
        return {
            "rows": self.rows,
            "applied": self.ok,
            "partial": self.partial,
            "refused": self.rows - self.ok - self.partial,
            "by_format": {
                name: {outcome: self.formats[name, outcome] for outcome in ("applied", "partial", "refused")}
                for name in names
            },
            "by_kind": dict(self.kinds.most_common()),
            "by_level": dict(self.levels.most_common()),
            "ms": {"median": self.quantile(0.5), "p95": self.quantile(0.95), "total": round(self._total)},
        }

    def lines(self) -> list[str]:
        """The summary as a table."""
        value = self.as_json()
        rows: list[tuple[str, ...]] = [("format", "rows", "applied", "partial", "refused", "")]
        for name, counts in [*value["by_format"].items(), ("all", value)]:
            numbers = [counts[outcome] for outcome in ("applied", "partial", "refused")]
            total = sum(numbers)
            share = f"{numbers[0] / total:.1%}" if total else ""
            rows.append((name, f"{total:,}", *(f"{number:,}" for number in numbers), share))
        lines = _table(rows)
        if self.kinds:
            lines += [
                "",
                *_table([("refused because of", "rows"), *((k, f"{n:,}") for k, n in self.kinds.most_common())]),
            ]
        return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns with the numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
