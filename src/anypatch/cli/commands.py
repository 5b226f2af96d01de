"""What each command does: asks the engine, words the answer. Returns what to print; prints only the hint to type."""

from __future__ import annotations

import os
import sys

from .. import api
from .. import report as words
from ..model import Edit, Where
from ..problems import Problem, Refused, exit_code
from . import terminal
from .shared import (
    Result,
    _bare,
    _refused,
    as_asked,
    broken_off,
    color,
    fence,
    for_people,
    overwrite,
    patch_text,
    settings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Op, Receipt, Report
    from .options import Call
    from .shared import Result


def run(call: Call) -> Result:
    """Carry out the call. Whatever is refused comes back as a result too."""
    try:
        return _COMMANDS[call.command](call)
    except Refused as refused:
        return _refused(call, _bare(refused.problems))


# ── apply, check, undo ───────────────────────────────────────────────────────────────────────────


def _apply(call: Call) -> Result:
    text = patch_text(call)
    from .. import api

    dry_run = call.command == "check" or call.has("dry-run")
    if call.given.get("symbols") == "lsp":
        from .symbols import applied

        return _told(call, applied(call, text, dry_run=dry_run, overwrite=overwrite(call)))
    if not dry_run:
        fence(call)
    run_it = api.check if dry_run else api.apply
    report = run_it(
        text, _root(call), format=call.given.get("format", ""), overwrite=overwrite(call), again=call.has("again"),
        partial=call.has("partial"), strict=call.has("strict"), settings=settings(call),
    )  # fmt: skip
    return _told(call, report)


def _rename(call: Call) -> Result:
    from .symbols import renamed

    return _told(call, renamed(call))


def _undo(call: Call) -> Result:
    from .. import api

    fence(call)
    report = api.undo(_root(call), call.argument or "", force=call.has("force"), settings=settings(call))
    return _told(call, report)


def _redo(call: Call) -> Result:
    from .. import api

    fence(call)
    return _told(call, api.redo(_root(call), call.argument or "", settings=settings(call)))


def _recover(call: Call) -> Result:
    from .. import api

    fence(call)
    report = api.recover(_root(call), settings=settings(call))
    if not report.ok or call.has("json") or call.has("quiet"):
        return _told(call, report)
    paint = terminal.painter(sys.stdout, color(call), os.environ)
    return Result(0, [paint("", note.text) for note in report.notes] or ["nothing was left half done"], [], True)


def _told(call: Call, report: Report) -> Result:
    """A report as JSON or in words."""
    if report.partial:
        return told_in_part(call, report)
    if not report.ok:
        return _refused(call, report)
    if call.has("quiet") and not call.has("json"):
        return Result(0, [], [], not report.dry_run)
    if call.has("json") or call.has("for-model"):
        return Result(0, as_asked(call, report), [], not report.dry_run)
    paint = terminal.painter(sys.stdout, color(call), os.environ)
    return Result(0, for_people(call, report, paint), [], not report.dry_run)


def _root(call: Call) -> str:
    return call.given.get("root", ".")


# ── the patch ────────────────────────────────────────────────────────────────────────────────────


# ── looking only ─────────────────────────────────────────────────────────────────────────────────


def _explain(call: Call) -> Result:

    return explained(call, _root(call))


def _symbols(call: Call) -> Result:
    from .symbols import outlined, shown, trees

    result = outlined(call) if call.command == "outline" else shown(call)
    paths = call.arguments if call.command == "outline" else call.arguments[:1]
    return result._replace(err=[line for tree in trees(paths) for line in broken_off(tree)] + result.err)


def _mcp(call: Call) -> Result:
    from .serve import served

    return served(call)


def _writing(call: Call) -> Result:
    from . import writing

    commands = {"make": writing.made, "schema": writing.schema, "tokens": writing.priced}
    return commands.get(call.command, writing.turned)(call)


def _log(call: Call) -> Result:
    from .. import api

    result = listed(
        call,
        api.log(_root(call), settings=settings(call)),
        api.not_ours(_root(call), settings=settings(call)),
        terminal.painter(sys.stdout, color(call), os.environ),
    )
    return result._replace(err=broken_off(_root(call), settings(call)) + result.err)


def _formats(call: Call) -> Result:
    from .. import api
    from .options import wrapped

    known = api.formats()
    if call.has("json"):
        from ..report import json_text

        rows = [{"name": f.name, "summary": f.summary, "can": sorted(f.can)} for f in known]
        return Result(0, [json_text({"ok": True, "formats": rows})], [])
    paint = terminal.painter(sys.stdout, color(call), os.environ)
    widest = max((len(f.name) for f in known), default=0)
    room = terminal.width(os.environ) - widest - 2 if terminal.is_terminal(sys.stdout) else 10_000
    lines: list[str] = []
    for known_format in known:
        first, *more = wrapped(known_format.summary, room)
        lines += [paint("path", f"{known_format.name:<{widest}}") + f"  {first}"]
        lines += [" " * (widest + 2) + line for line in more]
    return Result(0, lines, [])


def _prompt(call: Call) -> Result:
    from .. import api

    return Result(0, api.format_named(call.argument or "").prompt.rstrip("\n").split("\n"), [])


def _completions(call: Call) -> Result:
    from .. import api
    from .completions import script

    names = [known.name for known in api.formats()]
    return Result(0, script(call.argument or "", names).rstrip("\n").split("\n"), [])


def _help(call: Call) -> Result:
    from .options import BadCall, command_help, command_named, program_help

    columns = terminal.width(os.environ)
    if call.argument is None:
        return Result(0, program_help(columns), [])
    try:
        return Result(0, command_help(command_named(call.argument), columns), [])
    except BadCall as error:
        raise Refused(Problem("bad_call", str(error), advice="See anypatch --help")) from None


def _usage(call: Call) -> Result:
    """No command at all: the help, but as an error."""
    return Result(2, [], _help(call).out)


def _version(call: Call) -> Result:
    from .. import __version__

    return Result(0, [f"anypatch {__version__}"], [])


_COMMANDS: dict[str, Callable[[Call], Result]] = {
    "apply": _apply,
    "check": _apply,
    "undo": _undo,
    "redo": _redo,
    "recover": _recover,
    "log": _log,
    "formats": _formats,
    "prompt": _prompt,
    "explain": _explain,
    "make": _writing,
    "convert": _writing,
    "invert": _writing,
    "schema": _writing,
    "tokens": _writing,
    "outline": _symbols,
    "read": _symbols,
    "mcp": _mcp,
    "rename": _rename,
    "completions": _completions,
    "help": _help,
    "version": _version,
    "": _usage,
}


# ── applied in part ─────────────────────────────────────────────────────────────────────────────────


APPLIED_IN_PART = 4


def told_in_part(call: Call, report: Report) -> Result:
    """What a run ends with that applied a part."""
    lost = _keep(call.given["rest"], report.rest) if call.has("rest") else []
    if call.has("json") or call.has("for-model"):
        return Result(APPLIED_IN_PART, as_asked(call, report), lost, not report.dry_run)
    paint = terminal.painter(sys.stderr, call.given.get("color", "auto"), os.environ)
    told = for_people(call, report, paint)
    printed = [] if call.has("rest") and not lost else report.rest.split("\n")[:-1]
    if terminal.is_terminal(sys.stdout):
        printed = [terminal.harmless(line) for line in printed]
    return Result(APPLIED_IN_PART, printed, [*told, *lost], not report.dry_run)


def _keep(path: str, rest: str) -> list[str]:
    """Write the rest; what to say where that fails: by then the tree is changed, so it is printed instead."""
    try:
        with open(path, "wb") as file:
            file.write(rest.encode("utf-8", "surrogateescape"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return [f"anypatch: the rest could not be written to {terminal.harmless(path)}: {why}"]
    return []


# ── the log ─────────────────────────────────────────────────────────────────────────────────────────


_NOTHING = "anypatch: nothing was applied here"
_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"


def listed(
    call: Call, receipts: tuple[Receipt, ...], others: tuple[str, ...], paint: Callable[[str, str], str]
) -> Result:
    """The receipts, as many as are asked for; `others`: ids of those that can't be used."""
    from .shared import Result

    if call.has("number"):
        receipts = receipts[: int(call.given["number"])]
    if call.has("json"):
        from ..report import json_text, receipt_json

        value = {"ok": True, "receipts": [receipt_json(receipt) for receipt in receipts], "not_ours": [*others]}
        return Result(0, [json_text(value)], [])
    told = [] if receipts or others else [_NOTHING]
    told += [_NOT_OURS.format(others[0] if len(others) == 1 else f"{len(others)} receipts")] if others else []
    return Result(0, [_receipt_line(receipt, paint) for receipt in receipts], told)


def _receipt_line(receipt: Receipt, paint: Callable[[str, str], str]) -> str:
    import time

    from ..report import quoted

    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(receipt.time))
    files = "1 file" if len(receipt.changes) == 1 else f"{len(receipt.changes)} files"
    parts = [paint("path", receipt.id), when, receipt.format, files, "(undone)" if receipt.undone else ""]
    parts.append("(in part)" if receipt.partial else "")
    told = receipt.description or ", ".join([change.path for change in receipt.changes[:3]])
    return "  ".join(part for part in (*parts, paint("", quoted(told))) if part)


# ── explain ─────────────────────────────────────────────────────────────────────────────────────────


def explained(call: Call, root: str) -> Result:
    """What was sniffed, parsed, located and by which rung, in words or as JSON."""
    text = patch_text(call)
    format_name = call.given.get("format", "")
    patch = api.read(text, format_name)
    report = api.check(text, root, format=format_name, overwrite=overwrite(call), again=call.has("again"))
    scores = api.scores(text)
    code = 0 if report.ok else max(exit_code(report.problems), 1)
    if call.has("json"):
        value = words.as_json(report)
        value["scores"] = dict(scores)
        value["parsed"] = [_op_json(op) for op in patch.ops]
        return Result(code, [words.json_text(value)], [])
    return Result(code, words.explain(patch, report, scores, terminal.painter(sys.stdout, color(call), os.environ)), [])


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
