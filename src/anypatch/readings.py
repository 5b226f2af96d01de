"""The plan of an answer that can be read in several ways: which of them is meant. Pure.

return a &lt; b           the file has `return a < b`: the escapes are undone, unless the change is to write them
In `Cart.total`, …        `return 0` stands in total and in count: what the words name is meant (`claims`)
`pass` → `raise`, then    two blocks edit the same lines: only one of them can be meant, and nobody knows which
`pass` → `return`
"""

from __future__ import annotations

import re

from .detect import escaped_signs, is_escaped, read, unescaped, without_escapes
from .model import Delete, Edit, FileChange, Hunk, Merge, Note, Op, Outcome, Patch, Plan, Said, Swap, Write
from .parsing.elision import is_prose
from .plan import plan
from .problems import Near, Problem
from .similarity import is_alike, keeps_most
from .syntax.languages import language_of
from .text import Text, decode, patch_lines, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result

# "Actually, use this instead:", "Sorry, there is a slip above:", "Let me correct that:"
_CORRECTION = (
    r"(?i)[\W_]*(?:actually|correct(?:ion|ed)|wait|hmm|oops|sorry|apologies|instead|on (?:second|further) thought"
    r"|scratch that|let me (?:fix|correct|redo|revise)|(?:ignore|forget|disregard) (?:that|this|the (?:above|last)))\b"
)
_MOST = 5  # problems that are looked at: each costs a plan
_MISREAD = {"not_found", "bad_patch", "ambiguous", "elision"}  # what escapes may be the cause of
_ESCAPED_OPERATORS = ("&amp;&amp;", "=&gt;", "-&gt;", "&lt;=", "&gt;=", "&lt;&lt;")


def planned(text: str, patch: Patch, tree: Tree, overwrite: bool | None) -> Plan:
    """The plan; where old lines stand in the files only with HTML escapes undone, that of the patch with them undone.

    Escapes in new text alone are meant: `s.replace("<", "&lt;")`.
    """
    made = plan(patch, tree, overwrite=overwrite)
    if "ambiguous" in [problem.kind for problem in made.problems]:
        made = _as_named(text, made, tree, overwrite)
    if not is_escaped(text):
        return _shown_as_meant(made, escaped=False)
    lost = {problem.kind for problem in made.problems}
    if not lost or not lost <= _MISREAD:
        return _shown_as_meant(made, escaped=True)
    other = read(unescaped(text), patch.format if "+" not in patch.format else "", file=patch.file)
    again = plan(other, tree, overwrite=overwrite)
    # What couldn't be read for its escapes has no bare sign left; `<a>` beside `&lt;` shows that they are meant.
    is_escaped_throughout = not any(sign in text for sign in escaped_signs(text) - {"&"})
    may_be_decoded = (patch.problems and is_escaped_throughout) or _holds_old_escapes(patch, again)
    if not other.ops or again.problems or not may_be_decoded:
        return made
    note = Note("HTML escapes were decoded", patch_line=1)
    return again._replace(patch=other._replace(notes=(*other.notes, note)))


def _as_named(text: str, made: Plan, tree: Tree, overwrite: bool | None) -> Plan:
    """The plan, with edits that have several places where the words beside them say, if that settles any."""
    from .claims import with_claims

    claimed = with_claims(text, made)
    again = plan(claimed, tree, overwrite=overwrite) if claimed is not None else made
    return again if len(again.problems) < len(made.problems) else made


def _shown_as_meant(made: Plan, *, escaped: bool) -> Plan:
    """The plan, with a problem for each change that may write escapes which nobody means, or lose the file's.

    `escaped`: the answer has escapes.
    """
    numbers = {outcome.path: number for number, outcome in enumerate(made.outcomes)}
    outcomes = list(made.outcomes)
    for change in made.changes:
        number = numbers.get(change.path, -1)
        if number < 0:
            continue
        op = outcomes[number].op
        shown = _shown_text(op)
        detail = _escaped_operator(change) if escaped and not made.patch.literal else ""
        advice = "Send it without HTML escapes."
        if escaped and not detail:
            detail = _escaped_line(change, shown)
            advice = "Send the file without HTML escapes; if they are meant, give old and new lines."
        if not detail:
            detail = _decoded_line(change, shown)
            advice = "Send the file with its HTML escapes; if they are to go, give old and new lines."
        if detail:
            problem = Problem("ambiguous", detail, change.path, op.patch_line, advice=advice, op=number + 1)
            outcomes[number] = outcomes[number]._replace(problems=(problem,))
    return made._replace(outcomes=tuple(outcomes))


def _escaped_operator(change: FileChange) -> str:
    """What to say of an operator that is written as HTML into code that has no escapes yet; "" for none, and for pages.

    Text that was escaped has no such sign left.
    """
    language = language_of(change.path)
    is_page = is_prose(change.path) or (language is not None and language.family == "xml")
    if is_page or change.path.endswith((".jsx", ".tsx", ".php")):
        return ""
    before, after = (decode(file.data) if file else "" for file in (change.before, change.after))
    found = next((operator for operator in _ESCAPED_OPERATORS if operator in after), "")
    if not found or is_escaped(before):
        return ""
    known = set(patch_lines(before))
    bare = without_escapes("\n".join(line for line in patch_lines(after) if line not in known))
    if any(sign in bare for sign in "<>&"):
        return ""
    return f"`{found}`, the HTML escape of `{unescaped(found)}`, would be written into code"


def _escaped_line(change: FileChange, shown: str) -> str:
    """What to say of a line that stands in the file only with its escapes undone, in a text that shows the file; or "".

    `a &lt; b` in the place of `a < b`: the whole answer may be escaped, or that may be the very change.
    """
    if not shown or change.before is None or change.after is None:
        return ""
    there = {line.strip() for line in patch_lines(decode(change.before.data))}
    lines = [line.strip() for line in patch_lines(decode(change.after.data)) if "&" in line]
    lost = next((line for line in lines if is_escaped(line) and line not in there and unescaped(line) in there), "")
    # An answer that was escaped as a whole has no such sign left.
    if not lost or any(sign in shown for sign in escaped_signs(lost) - {"&"}):
        return ""
    return f"`{lost[:80]}` may be meant literally, or as `{unescaped(lost)[:80]}`, which is in the file"


def _decoded_line(change: FileChange, shown: str) -> str:
    """What to say of a line of the file whose escapes are decoded in a text that shows the file, and has none; or "".

    `<div>` in the place of `&lt;div&gt;`: a page that shows the answer decodes it. Unless nothing else changes.
    """
    if not shown or change.before is None or change.after is None:
        return ""
    if b"&" not in change.before.data or is_escaped(shown):
        return ""
    before, after = (stripped(patch_lines(decode(file.data))) for file in (change.before, change.after))
    there, come = set(before), set(after)
    lost = next((line for line in before if is_escaped(line) and line not in come and unescaped(line) in come), "")
    if not lost or unescaped(lost) in there or [unescaped(line) for line in before] == after:
        return ""
    return f"`{lost[:80]}` is in the file, and would become `{unescaped(lost)[:80]}`"


def _shown_text(op: Op) -> str:
    """What an operation shows without any old text, so that nothing tells an escape from what it stands for; or ""."""
    if isinstance(op, Write):
        return op.text
    if isinstance(op, Edit) and any(isinstance(hunk, Merge) for hunk in op.hunks):
        return "\n".join(text for hunk in op.hunks for _, text in hunk.lines)
    return ""


def _holds_old_escapes(patch: Patch, again: Plan) -> bool:
    """Whether lines that the patch says are in the files hold HTML escapes; of a file shown, those that stand in it."""
    there = {line.strip() for one in again.changes if one.before for line in patch_lines(decode(one.before.data))}
    for op in patch.ops:
        hunks = op.hunks if isinstance(op, Edit) else ()
        old = [text for hunk in hunks for tag, text in hunk.lines if tag != "+"]
        old += op.old if isinstance(op, Delete) else ()
        old += [text for hunk in hunks for text in (*hunk.where.before, *hunk.where.after, *hunk.where.under)]
        shown = [text for hunk in hunks if isinstance(hunk, Merge) for _, text in hunk.lines if is_escaped(text)]
        if any(map(is_escaped, old)) or any(unescaped(text).strip() in there for text in shown):
            return True
    return False


# ── blocks of which one is meant ─────────────────────────────────────────────────────────────────


def contradicted(made: Plan, text: str) -> Problem | None:
    """The refusal of a text that is exchanged twice, the second time inside what the first exchange put there.

    `return 1` becomes `return 10`, then its `return 1` becomes `return 11`: `return 110`.
    """
    if len(made.patch.ops) < 2 or made.patch.problems:
        return None
    if anew := _said_anew(made, text):
        return anew
    seen: dict[tuple[str, str], Outcome] = {}
    for outcome in made.outcomes:
        if not isinstance(outcome.op, Edit):
            seen.clear()  # what is written, deleted or moved may be edited anew
        said = outcome.op.hunks[0] if isinstance(outcome.op, Edit) and len(outcome.op.hunks) == 1 else None
        if not isinstance(said, Swap) or said.times != 1:
            continue
        first = seen.setdefault((outcome.op.path, said.old), outcome)
        other = first.op.hunks[0] if isinstance(first.op, Edit) else said
        if isinstance(other, Swap) and other.new != said.new and not _keeps(other):
            row = first.splices[0].start if first.splices else 0
            return _same_lines(first, outcome, row, ())
    return None


def _said_anew(made: Plan, text: str) -> Problem | None:
    """The refusal of lines that are added twice next to the same ones, the second time in another version.

    "After `setup()` add this test:", "Let me fix that:", and the test again: both fit, and one of them is meant. Of
    single lines only words tell: `import re` and `import sys` below `import os` may both be meant.
    """
    seen: dict[tuple[str, tuple[str, ...]], tuple[Outcome, Said, tuple[str, ...]]] = {}
    answer: list[str] = []
    for outcome in made.outcomes:
        if not isinstance(outcome.op, Edit):
            seen.clear()
            continue
        for said in outcome.op.hunks:
            old, added = _addition(said)
            if not old or not added:
                continue
            first, other, before = seen.setdefault((outcome.path, old), (outcome, said, added))
            if before == added:
                continue
            texts = ("\n".join(before), "\n".join(added))
            is_version = min(len(before), len(added)) > 1 and keeps_most(*texts) and keeps_most(*texts[::-1])
            answer = answer or patch_lines(text)
            between = answer[other.patch_line : said.patch_line]
            if is_version or (
                is_alike(*map(str.strip, texts)) and any(re.match(_CORRECTION, line) for line in between)
            ):
                detail = f"edits {first.number} and {outcome.number} add two versions of a text at the same place"
                advice = "Send only the one that is meant; if both are, join them into one edit."
                return Problem("alternatives", detail, outcome.path, said.patch_line, advice=advice, op=outcome.number)
    return None


def _addition(said: Said) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that an edit finds, and those it adds to them; none where it removes some."""
    if isinstance(said, Hunk) and "-" not in said.tags:
        return said.old, tuple(text for tag, text in said.lines if tag == "+" and text.strip())
    if isinstance(said, Swap) and said.times == 1 and _keeps(said):
        head, _, tail = f"\n{said.new.strip()}\n".partition(f"\n{said.old.strip()}\n")
        return (said.old,), tuple(line for line in f"{head}\n{tail}".split("\n") if line.strip())
    return (), ()


def _keeps(said: Swap) -> bool:
    """Whether the old text stays, as whole lines: then there may be more to add to it."""
    return f"\n{said.old.strip()}\n" in f"\n{said.new.strip()}\n"


def with_alternatives(report: Result, tree: Tree) -> Result:
    """The report; what fails only because an earlier block changed its lines is told so, with the file's own lines."""
    problems = list(report.problems)
    missed = [at for at, problem in enumerate(problems) if problem.kind == "not_found" and problem.op > 1]
    for at in missed[:_MOST] if not report.partial else ():
        problems[at] = _rival(problems[at], report, tree) or problems[at]
    return report._replace(problems=tuple(problems))


def _rival(problem: Problem, report: Result, tree: Tree) -> Problem | None:
    outcomes = report.plan.outcomes
    failed = next(one for one in outcomes if one.number == problem.op)
    before = [one for one in outcomes[: failed.number - 1] if one.path == failed.path and not one.problems]
    if not before or not isinstance(failed.op, Edit) or not all(isinstance(h, Hunk | Swap) for h in failed.op.hunks):
        return None
    format = report.plan.patch.format
    alone = plan(Patch(format, (failed.op,)), tree)
    if alone.problems or not alone.outcomes[0].splices:
        return None
    for one in before:
        first = plan(Patch(format, (one.op,)), tree).outcomes[0]
        for splice in alone.outcomes[0].splices:
            if any(other.start < splice.end and splice.start < other.end for other in first.splices):
                file = tree.read(failed.path)
                lines = Text.read(file.data).lines[splice.start : splice.end] if file else []
                return _same_lines(one, failed, splice.start, tuple(lines))._replace(patch_line=problem.patch_line)
    return None


def _same_lines(first: Outcome, second: Outcome, row: int, lines: tuple[str, ...]) -> Problem:
    """Two operations that edit the same lines of the file as it is."""
    detail = f"edits {first.number} and {second.number} both change line {row + 1} of the file"
    near = (Near(row + 1, lines, "the file has"),) if lines else ()
    advice = "If they are alternatives, send one of them; otherwise join them into one edit."
    if _wording(first.op) == _wording(second.op):
        # "Both `f` and `g` …", the same block twice: only one of them has these lines.
        detail = f"edits {first.number} and {second.number} are the same, but only line {row + 1} fits"
        advice = "If one place is meant, send the edit once; otherwise copy the lines of the other place exactly."
    return Problem("overlap", detail, second.path, second.op.patch_line, row + 1, advice, near, second.number)


def _wording(op: Op) -> list[object]:
    return [hunk.lines for hunk in op.hunks] if isinstance(op, Edit) else [op]
