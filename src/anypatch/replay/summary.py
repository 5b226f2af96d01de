"""The summary of a replay, by model and by cause: as plain values, as lines of text, as a page of charts."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..report import charts
from ..report.words import table_lines
from .judge import NOT_TRIED, OPEN, OTHER, REFUSED, SAME, UNKNOWN, Verdict
from .tracker import Case
from .transcripts import CLIENTS

APPLIED = (SAME, OTHER, OPEN)
REPLAYED = (*APPLIED, REFUSED)

# What is shown of the failed calls in a row: a title, the outcomes that it counts.
_COLUMNS = (
    ("failed", (*REPLAYED, UNKNOWN)), ("replayed", REPLAYED), ("applied", APPLIED), ("same", (SAME,)),
    ("other", (OTHER,)), ("open", (OPEN,)),
)  # fmt: skip
_LEGEND = {
    "replayed": "the transcript has the files as they were",
    "applied": "anypatch would have applied the call, and",
    "same": "… the model got the file to the same text later",
    "other": "… the model got it to another text",
    "open": "… no later call on the file went through",
}
_SERIES = {SAME: "good", OTHER: "half", OPEN: "open", REFUSED: "bad", UNKNOWN: "plain"}
_ABOUT = (
    "same: the model got the file to the same text later. other: it got it to another text. open: no later call on the "
    "file went through."
)

_Counts = Counter[tuple[str, str]]  # by what a row is about, and the outcome


class Summary:
    """Counts of a replay, and each failed call in a line."""

    def __init__(self) -> None:
        self.transcripts: Counter[str] = Counter()
        self.calls = self.bad_lines = 0
        self.failed: Counter[str] = Counter()  # by outcome
        self.passed: Counter[str] = Counter()
        self.models: _Counts = Counter()
        self.causes: _Counts = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self.calls_of_models: Counter[str] = Counter()
        self.failures: list[dict[str, Any]] = []
        self._seen: set[tuple[str, str]] = set()

    def add(self, case: Case, judge: Callable[[Case], Verdict]) -> None:
        """Count a call, unless a transcript before had it: resumed sessions repeat what came before."""
        call, origin = case.call, case.call.origin
        key = origin.client, origin.id
        if key in self._seen:
            return
        self._seen.add(key)
        verdict = judge(case)
        title = CLIENTS[origin.client].title
        model = f"{title}: {origin.model}" if origin.model else title
        self.calls += 1
        self.calls_of_models[model] += 1
        if not call.error:
            self.passed[verdict.outcome] += 1
            return
        self.failed[verdict.outcome] += 1
        if verdict.outcome != NOT_TRIED:
            self.models[model, verdict.outcome] += 1
            self.causes[verdict.cause, verdict.outcome] += 1
        self.kinds.update(verdict.kinds)
        self.levels.update(verdict.levels)
        files = [os.path.basename(path) for path in call.files.values()]
        self.failures.append({
            **origin._asdict(), "files": files, "cause": verdict.cause, "outcome": verdict.outcome,
            "kinds": list(verdict.kinds), "levels": list(verdict.levels),
        })  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return {
            "transcripts": dict(self.transcripts),
            "unreadable_lines": self.bad_lines,
            "calls": self.calls,
            "failed": _numbers(self.failed),
            "declined": self.failed[NOT_TRIED],
            "by_model": {model: _numbers(counts) for model, counts in _rows(self.models)},
            "by_cause": {cause: _numbers(counts) for cause, counts in _rows(self.causes)},
            "refused_because_of": dict(self.kinds.most_common()),
            "places_found_by": dict(self.levels.most_common()),
            "went_through": {
                "calls": self.passed.total(), "replayed": _total(self.passed, REPLAYED), "same": self.passed[SAME],
                "other": self.passed[OTHER], "open": self.passed[OPEN], "refused": self.passed[REFUSED],
            },
            "failed_calls": self.failures,
        }  # fmt: skip

    def lines(self, width: int = 0) -> list[str]:
        """Return the summary as text with tables; in fewer columns than those need, as a list. 0: any width."""
        sentences = _wrapped(self._sentences(), width)
        if not self.models:
            return sentences
        tables = [_table("", self.models, self.failed), _table("failed because of", self.causes, None)]
        if width and max(len(line) for table in tables for line in table) > width:
            tables = [_listed("by model", self.models), _listed("by cause", self.causes)]
        legend = [f"{word:10}{text}" for word, text in _LEGEND.items()]
        refused = ["", f"Refused because of: {_enumerated(self.kinds)}."] if self.kinds else []
        lines = [*sentences, "", *tables[0], "", *tables[1], "", *_wrapped(legend, width, 10)]
        return lines + _wrapped(refused, width)

    def page(self) -> str:
        """Return the summary as a page of charts."""
        kinds = [(kind, {"calls": count}) for kind, count in self.kinds.most_common()]
        levels = [(level, {"calls": count}) for level, count in self.levels.most_common()]
        models, causes = _rows(self.models), _rows(self.causes)
        whole = [("all", {outcome: self.failed[outcome] for outcome in _SERIES})] if len(models) > 1 else []
        passed = [(outcome, {"calls": self.passed[outcome]}) for outcome in _SERIES if self.passed[outcome]]
        first, *others = sorted(self._sentences(), key=lambda sentence: not sentence.startswith("anypatch"))
        return charts.page("Replay of edit calls", (first, *others), (
            charts.bars("What anypatch would have done with the calls that failed", [*whole, *models],
                        _SERIES, about=_ABOUT),
            charts.bars("Why they failed at the time", causes, _SERIES),
            charts.bars("How anypatch found their places", levels, {"calls": "plain"}),
            charts.bars("Why anypatch would have refused the others", kinds, {"calls": "bad"}),
            charts.bars("What anypatch would have done with the calls that went through", passed, {"calls": "plain"}),
        ))  # fmt: skip

    def _sentences(self) -> list[str]:
        """Return the whole in a few sentences."""
        failed, replayed = _total(self.failed, (*REPLAYED, UNKNOWN)), _total(self.failed, REPLAYED)
        total, declined = self.transcripts.total(), self.failed[NOT_TRIED]
        where = " and ".join(filter(None, [", ".join([*self.transcripts][:-1]), *[*self.transcripts][-1:]]))
        share = f" ({failed / self.calls:.1%})" if failed else ""
        more = f"; {declined:,} more were declined by a person or a hook" if declined else ""
        lines = [
            f"{_count(self.calls, 'edit call')} in {_count(total, 'transcript')} of {where}.",
            f"{failed:,} failed{share}{more}.",
        ]
        if replayed:
            applied = f"anypatch would have applied {_total(self.failed, APPLIED):,}"
            lines.append(f"{applied} of the {replayed:,} failed calls that can be replayed{self._reached()}.")
        if failed > replayed:
            lines.append(f"{failed - replayed:,} can't be replayed: the transcript doesn't have the file as it was.")
        if passed := _total(self.passed, REPLAYED):
            refused, other = self.passed[REFUSED], self.passed[OTHER]
            result = f"refuse {refused:,} and change {other:,} otherwise" if refused or other else "do the same"
            lines.append(f"Of the calls that went through, {passed:,} can be replayed; it would {result}.")
        if self.bad_lines:
            lines.append(f"{_count(self.bad_lines, 'line')} can't be read.")
        return lines

    def _reached(self) -> str:
        """Return how many of the failed calls end as the model had it."""
        words = ((SAME, "as the model had the file later"), (OTHER, "otherwise"), (OPEN, "with nothing to compare"))
        parts = [f"{self.failed[outcome]:,} {text}" for outcome, text in words if self.failed[outcome]]
        return f": {', '.join(parts)}" if parts else ""


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _total(counts: Counter[str], outcomes: Iterable[str]) -> int:
    return sum(counts[outcome] for outcome in outcomes)


def _numbers(counts: Counter[str]) -> dict[str, int]:
    return {title: _total(counts, outcomes) for title, outcomes in _COLUMNS} | {"refused": counts[REFUSED]}


def _rows(counts: _Counts) -> list[tuple[str, Counter[str]]]:
    """Return what the counts are about, the largest first, each with its counts by outcome."""
    rows: dict[str, Counter[str]] = {}
    for (name, outcome), count in counts.items():
        rows.setdefault(name, Counter())[outcome] += count
    return sorted(rows.items(), key=lambda row: (-row[1].total(), row[0]))


def _table(title: str, counts: _Counts, whole: Counter[str] | None) -> list[str]:
    rows = _rows(counts)
    if whole is not None and len(rows) > 1:
        rows.append(("all", whole))
    cells = [[title, *(name for name, _ in _COLUMNS)]]
    cells += [[name, *(f"{number:,}" for number in [*_numbers(row).values()][:-1])] for name, row in rows]
    return table_lines(cells)


def _listed(title: str, counts: _Counts) -> list[str]:
    lines = [f"{title}:"]
    for name, row in _rows(counts):
        numbers = _numbers(row)
        lines += [f"  {name}", *(f"{numbers[column]:>8,} {column}" for column, _ in _COLUMNS if numbers[column])]
    return lines


def _wrapped(texts: Iterable[str], width: int, indentation: int = 0) -> list[str]:
    if not width:
        return [*texts]
    below = " " * indentation
    return [line for text in texts for line in textwrap.wrap(text, width, subsequent_indent=below) or [""]]


def _enumerated(counts: Counter[str]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.most_common())
