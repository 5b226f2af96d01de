"""What each command does: asks the engine, words the answer. Returns what to print; prints only the hint to type."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from .. import api
from ..model import Edit, Op, Patch, Receipt, Where
from ..problems import Problem, Refused, exit_code
from ..report.json import as_json, json_text, receipt_json
from ..report.words import quoted
from ..storage.state import Settings
from . import terminal
from .landlock import fence
from .options import BadCall, command_help, command_named, program_help, wrapped
from .shared import (
    Output,
    broken_off,
    folded,
    layout,
    located,
    painter,
    patch_text,
    reported,
    settings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..result import Result
    from .options import Call


def run(call: Call) -> Output:
    """Carry out the call."""
    call = located(call)
    return _COMMANDS[call.command](call)


# ── what changes the tree ────────────────────────────────────────────────────────────────────────


def _apply(call: Call) -> Output:
    text = patch_text(call)
    dry_run = call.command in ("check", "diff") or call.has("dry-run")
    if call.given.get("symbols") == "lsp":
        from .symbols import applied

        return reported(call, applied(call, text, dry_run=dry_run))
    shaped = _shape(call)
    if call.has("fix"):
        seen = _run(call, text, True, shaped)
        shaped = _mended(seen) or shaped
    asked: dict[str, str] | None = None
    if not dry_run and not any(map(call.has, ("yes", "json", "for-model", "quiet"))) and terminal.can_ask():
        seen = _run(call, text, True, shaped)
        if not (seen.ok or seen.partial) or not seen.plan.changes:
            return reported(call, seen)
        from ..report.people import diff_of

        look = layout(call)
        terminal.write(sys.stdout, folded(call, diff_of(seen, look.paint)))
        if not terminal.ask("Apply this? [Y/n] "):
            return Output(1, [], ["nothing was changed"])
        # What was shown is what is made, or nothing: somebody may have written in the meantime.
        asked = {change.path: api.file_hash(change.before.data) for change in seen.plan.changes if change.before}
    if not dry_run:
        fence(call)
    report = _run(call, text, dry_run, shaped, asked)
    if call.command == "diff" and report.ok:
        from ..report.people import diff_of

        return Output(0, terminal.for_output(diff_of(report, painter(call))), [])
    return reported(call, report)


def _run(
    call: Call, text: str, dry_run: bool, shape: Callable[[Patch], Patch] | None, expected: dict[str, str] | None = None
) -> Result:
    wish = api.Wish(call.overwrite, call.has("partial"), call.syntax, expected)
    file = call.given.get("file", "")
    if file and call.below and not file.startswith("/"):
        file = f"{call.below}/{file}"
    return api.applied(
        text, call.root, wish, api.format_given(call.format) or "", settings(call) or Settings(), dry_run=dry_run,
        again=call.has("again"), file=file, shape=shape,
    )  # fmt: skip


def _shape(call: Call) -> Callable[[Patch], Patch] | None:
    """What the options make of the patch; loaded only where one does."""
    if not (call.below or call.has("only") or call.has("reverse")):
        return None
    from .shaping import shaped

    return lambda patch: shaped(patch, call)


def _mended(seen: Result) -> Callable[[Patch], Patch] | None:
    """The patch with the corrections that were proven in the place of what doesn't fit; None where not all have one."""
    if seen.ok:
        return None
    from ..suggestions import mended

    patch = mended(seen)
    return (lambda _: patch) if patch else None


def _undo(call: Call) -> Output:
    fence(call)
    return reported(call, api.undo(call.root, call.argument or "", force=call.has("force"), settings=settings(call)))


def _redo(call: Call) -> Output:
    fence(call)
    return reported(call, api.redo(call.root, call.argument or "", settings=settings(call)))


def _recover(call: Call) -> Output:
    fence(call)
    report = api.recover(call.root, settings=settings(call))
    if not report.ok or call.has("json") or call.has("quiet"):
        return reported(call, report)
    paint = painter(call)
    return Output(0, [paint("", note.text) for note in report.notes] or ["nothing to recover"], [], True)


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"


def _log(call: Call) -> Output:
    from ..storage.hook_log import entries

    receipts, others = api.log(call.root, settings=settings(call)), api.not_ours(call.root, settings=settings(call))
    told = broken_off(call.root, settings(call))
    hooked = entries(call.root)
    if call.has("number"):
        receipts, hooked = receipts[: int(call.given["number"])], hooked[: int(call.given["number"])]
    if call.has("json"):
        value = {"ok": True, "receipts": [receipt_json(one) for one in receipts], "not_ours": [*others]}
        value["hooks"] = hooked
        return Output(0, [json_text(value)], told)
    if others:
        told.append(_NOT_OURS.format(others[0] if len(others) == 1 else f"{len(others)} receipts"))
    elif not receipts and not hooked:
        told.append("anypatch: nothing has been applied here")
    paint = painter(call)
    lines = [(receipt.time, _receipt_line(receipt, paint)) for receipt in receipts]
    lines += [(entry.get("time", 0.0), _hook_line(entry, paint)) for entry in hooked]
    return Output(0, [line for _, line in sorted(lines, key=lambda one: one[0], reverse=True)], told)


def _hook_line(entry: dict[str, Any], paint: Callable[[str, str], str]) -> str:
    """A call of an agent's own tool that a hook has mended or denied."""
    did, client, tool, path, why = (str(entry.get(key, "")) for key in ("did", "client", "tool", "path", "why"))
    about = f"{did}: {client} {tool}  {path}  {why.splitlines()[0] if why else ''}"
    return "  ".join((paint("path", f"{'hook':<20}"), _when(entry.get("time", 0.0)), paint("", quoted(about))))


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _receipt_line(receipt: Receipt, paint: Callable[[str, str], str]) -> str:
    when = _when(receipt.time)
    files = "1 file" if len(receipt.changes) == 1 else f"{len(receipt.changes)} files"
    parts = [paint("path", receipt.id), when, receipt.format, files, "(undone)" if receipt.undone else ""]
    parts.append("(in part)" if receipt.partial else "")
    about = receipt.description or ", ".join([change.path for change in receipt.changes[:3]])
    if not terminal.is_terminal(sys.stdout):
        return "  ".join(part for part in (*parts, paint("", quoted(about))) if part)
    # A row each, what doesn't fit goes; on a narrow terminal the second half goes on a line of its own.
    narrow = terminal.width() < _NARROW
    head, tail = (parts[:2], parts[2:]) if narrow else (parts, [])
    row = tail or [receipt.id, *parts[1:]]
    room = max(terminal.width() - sum(len(part) + 2 for part in row if part) - 2 * narrow, 8)
    about = about if len(about) <= room else f"{about[: room - 1]}…"
    lines = [[*head, *tail, paint("", quoted(about))]] if not narrow else [head, [*tail, paint("", quoted(about))]]
    return "\n  ".join("  ".join(part for part in line if part) for line in lines)


_NARROW = 72  # columns that a row of the log needs


def _show(call: Call) -> Output:
    """One change that was made: what it is, its files, its diff."""
    from ..report.people import changed_files, diff_of, listed

    report = api.show(call.root, call.argument or "", settings=settings(call))
    if not report.ok or not report.receipt:
        return reported(call, report)
    if call.has("json"):
        value = receipt_json(report.receipt) | {"ok": True, "diff": report.diff()}
        return Output(0, [json_text(value)], [])
    look = layout(call)
    lines = [_receipt_line(report.receipt, look.paint), *listed(changed_files(report), report, look), ""]
    return Output(0, [*lines, *diff_of(report, look.paint)], [])


# ── explain ──────────────────────────────────────────────────────────────────────────────────────


def _explain(call: Call) -> Output:
    """What was sniffed, parsed, located and by which rung, in words or as JSON."""
    from ..report.people import explain

    text = patch_text(call)
    patch, patch_format = api.read(text, call.format), api.format_given(call.format)
    report = api.preview(text, call.root, format=patch_format, overwrite=call.overwrite, again=call.has("again"))
    scores = api.scores(text)
    code = 0 if report.ok else max(exit_code(report.problems), 1)
    if call.has("json"):
        value = as_json(report) | {"scores": dict(scores), "parsed": [_op_json(op) for op in patch.ops]}
        return Output(code, [json_text(value)], [])
    return Output(code, explain(patch, report, scores, painter(call)), [])


def _op_json(op: Op) -> dict[str, object]:
    """What the patch says, before anything is located. Claims that were not made are left out."""
    value: dict[str, object] = {"label": op.label, "path": op.path, "patch_line": op.patch_line or None}
    if isinstance(op, Edit):
        value["hunks"] = [
            {
                "patch_line": hunk.patch_line or None,
                "lines": [tag + text for tag, text in hunk.lines],
                "where": {name: claim for name, claim in zip(Where._fields, hunk.where, strict=True) if claim},
                "rungs": hunk.policy.levels,
            }
            for hunk in op.hunks
        ]
    return value


# ── formats, help ────────────────────────────────────────────────────────────────────────────────


def _formats(call: Call) -> Output:
    known = api.formats()
    if call.has("json"):
        rows = [{"name": f.name, "summary": f.summary, "can": sorted(f.can)} for f in known]
        return Output(0, [json_text({"ok": True, "formats": rows})], [])
    paint = painter(call)
    widest = max(len(f.name) for f in known)
    room = terminal.width() - widest - 2 if terminal.is_terminal(sys.stdout) else 10_000
    lines: list[str] = []
    for known_format in known:
        first, *more = wrapped(known_format.summary, room)
        lines += [paint("path", f"{known_format.name:<{widest}}") + f"  {first}"]
        lines += [" " * (widest + 2) + line for line in more]
    return Output(0, lines, [])


def _prompt(call: Call) -> Output:
    return Output(0, api.format_named(call.argument or "").prompt.rstrip("\n").split("\n"), [])


def _completions(call: Call) -> Output:
    from .completions import script

    return Output(0, script(call.argument or "").rstrip("\n").split("\n"), [])


def _help(call: Call) -> Output:
    if call.argument is None:
        return Output(0, program_help(terminal.width()), [])
    try:
        return Output(0, command_help(command_named(call.argument), terminal.width()), [])
    except BadCall as error:
        raise Refused(Problem("bad_call", str(error), advice="See `anypatch --help`.")) from None


def _usage(call: Call) -> Output:
    """No command at all: the help, but as an error."""
    return Output(2, [], _help(call).out)


def _version(call: Call) -> Output:
    from .. import __version__

    return Output(0, [f"anypatch {__version__}"], [])


def _elsewhere(module: str, function: str) -> Callable[[Call], Output]:
    """A command whose module is loaded when it runs."""

    def command(call: Call) -> Output:
        from importlib import import_module

        result: Output = getattr(import_module(f".{module}", __package__), function)(call)
        return result

    return command


_COMMANDS: dict[str, Callable[[Call], Output]] = {
    "apply": _apply,
    "check": _apply,
    "diff": _apply,
    "show": _show,
    "undo": _undo,
    "redo": _redo,
    "recover": _recover,
    "log": _log,
    "formats": _formats,
    "prompt": _prompt,
    "explain": _explain,
    "make": _elsewhere("writing", "made"),
    "convert": _elsewhere("writing", "converted"),
    "invert": _elsewhere("writing", "inverted"),
    "schema": _elsewhere("writing", "defined"),
    "tokens": _elsewhere("writing", "priced"),
    "outline": _elsewhere("symbols", "outlined"),
    "read": _elsewhere("symbols", "shown"),
    "batch": _elsewhere("batch", "run"),
    "rename": _elsewhere("symbols", "renamed"),
    "hook": _elsewhere("hook", "run"),
    "completions": _completions,
    "help": _help,
    "version": _version,
    "": _usage,
}
