"""The syntax gate of a plan: a file that parsed before and no longer would is a note, or a problem if asked. Pure.

Only changed files are read, and without --strict only as long as they are small together (`USUAL`): a warning may not
cost more than the edit. Of a moved file the text under its former name counts.
"""

from __future__ import annotations

from .model import Move, Note
from .problems import Near, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import Outcome, Plan
    from .syntax.validate import Fault


_SHOWN = 3  # lines of the result above and below the error


def gated(made: Plan, strict: bool, *, partial: bool = False) -> Plan:
    """The plan with what the gate found at the last operation on each file; one that comes to nothing passes."""
    pairs = [] if made.problems and not partial else _pairs(made)
    if not pairs:
        return made
    from .syntax.validate import USUAL, first_new_error, is_source

    known = [pair for pair in pairs if is_source(pair[0])]
    if not strict:
        known = [pair for pair in known if max(len(pair[1]), len(pair[2])) <= USUAL]
        if sum(len(after) for _, _, after in known) > USUAL:
            return made
    outcomes = list(made.outcomes)
    for path, before, after in known:
        fault = first_new_error(path, before, after)
        if fault or strict:
            _tell(outcomes, path, after, fault, strict)
    return made._replace(outcomes=tuple(outcomes))


def _pairs(made: Plan) -> list[tuple[str, bytes, bytes]]:
    """(path, before, after) of every file that is changed and was there before, be it under another name."""
    gone = {change.path: change.before for change in made.changes if change.after is None}
    origins: dict[str, str] = {}
    for outcome in made.outcomes:
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.get(outcome.path, outcome.path)
    found = []
    for change in made.changes:
        before = change.before or gone.get(origins.get(change.path, ""))
        if not before or not change.after or before.is_link or change.after.is_link:
            continue
        if before.data != change.after.data:
            found.append((change.path, before.data, change.after.data))
    return found


def _tell(outcomes: list[Outcome], path: str, after: bytes, fault: Fault | None, strict: bool) -> None:
    at = max((i for i, outcome in enumerate(outcomes) if path in _names(outcome)), default=-1)
    if at < 0:
        return
    outcome = outcomes[at]
    if fault is None:
        from .syntax.validate import missing_grammar

        package = missing_grammar(path)
        if package:
            told = f"not checked whether it parses: no grammar; install {package}"
            outcomes[at] = outcome._replace(notes=(*outcome.notes, Note(told, path, kind="no_grammar")))
        return
    words = f"line {fault.line}" + (f": {fault.words}" if fault.words else "")
    if not strict:
        note = Note(
            f"parsed before and no longer does: the first error is in {words}", path, line=fault.line, kind="syntax"
        )
        outcomes[at] = outcome._replace(notes=(*outcome.notes, note))
        return
    detail = f"the first error of the result is in {words}"
    near = (_near(after, fault.line),)
    problem = Problem("syntax", detail, path, outcome.op.patch_line, fault.line, near=near, op=outcome.number)
    outcomes[at] = outcome._replace(problems=(*outcome.problems, problem))


def _names(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.path, outcome.op.to) if isinstance(outcome.op, Move) else (outcome.path,)


def _near(after: bytes, line: int) -> Near:
    """The lines of the result around the error."""
    from .text import Text

    lines = Text.read(after).lines
    first = max(line - 1 - _SHOWN, 0)
    return Near(first + 1, tuple(lines[first : line + _SHOWN]), "the result would be")
