"""What each command does: asks the engine, words the answer. Returns what to print; prints only the hint to type."""

from __future__ import annotations

import os
import sys

from ..errors import KINDS, Problem, Refused, exit_code
from ..record import NamedTuple
from . import terminal
from .changing import broken_off, fence, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Report
    from .options import Call


class Result(NamedTuple):
    """What a run ends with. `wrote`: the tree was changed, so a failure to print must not look like a failure."""

    code: int
    out: list[str]
    err: list[str]
    wrote: bool = False


def run(call: Call) -> Result:
    """Carry out the call. Whatever is refused comes back as a result too."""
    try:
        return _COMMANDS[call.command](call)
    except Refused as refused:
        return _refused(call, _bare(refused.problems))


def refusal(problems: tuple[Problem, ...], *, as_json: bool) -> Result:
    """The result of a call that could not be read."""
    from .options import Call

    return _refused(Call("", None, {"json": ""} if as_json else {}), _bare(problems))


def _bare(problems: tuple[Problem, ...]) -> Report:
    from ..model import Patch, Plan, Report

    return Report(False, Plan(Patch("")), problems)


def _refused(call: Call, report: Report) -> Result:
    """Refusals go to standard error, so that a pipe of results stays clean; for programs they are the result."""
    code = max(exit_code(report.problems), 1)
    if call.has("json") or call.has("for-model"):
        return Result(code, as_asked(call, report), [])
    paint = terminal.painter(sys.stderr, color(call), os.environ)
    if len(report.problems) == 1 and report.problems[0].kind in _ONE_SENTENCE:
        return Result(code, [], [paint("", _sentence(report.problems[0]))])
    from ..report import for_people

    return Result(code, [], for_people(report, paint, max_lines=_max_lines(call, 0)))


def as_asked(call: Call, report: Report) -> list[str]:
    """The report for programs: JSON, the words for a model, or one within the other."""
    from .. import report as words

    told = words.for_model(report, _max_lines(call, 80)) if call.has("for-model") else ""
    if not call.has("json"):
        lines = told.split("\n")
        return [terminal.harmless(line) for line in lines] if terminal.is_terminal(sys.stdout) else lines
    value = words.as_json(report)
    return [words.json_text(value | {"for_model": told} if told else value)]


def _max_lines(call: Call, usual: int) -> int:
    return int(call.given.get("max-report-lines", usual))


_ONE_SENTENCE = (
    "bad_call", "unreadable", "bad_root", "unknown_format", "no_receipt", "no_patch", "already_applied", "no_server",
    "not_renamed",
)  # fmt: skip


def _sentence(problem: Problem) -> str:
    """What concerns the call and not the patch is said in one line."""
    from ..report import message, quoted

    about_call = problem.kind in ("bad_call", "unreadable")
    told = "anypatch: " + quoted(problem.detail if about_call and problem.detail else message(problem))
    if problem.path and problem.path not in told:
        told += f" ({quoted(problem.path)})"
    advice = problem.advice or ("" if about_call else KINDS[problem.kind].advice)
    stop = "" if told.endswith((".", "?")) else "."
    return f"{told}{stop} {quoted(advice)}" if advice else told


# ── apply, check, undo ───────────────────────────────────────────────────────────────────────────


def _apply(call: Call) -> Result:
    text = patch_text(call)
    from .. import engine

    dry_run = call.command == "check" or call.has("dry-run")
    if call.given.get("symbols") == "lsp":
        from .servers import applied

        return _told(call, applied(call, text, dry_run=dry_run, overwrite=overwrite(call)))
    if not dry_run:
        fence(call)
    run_it = engine.check if dry_run else engine.apply
    report = run_it(
        text, _root(call), format=call.given.get("format", ""), overwrite=overwrite(call), again=call.has("again"),
        partial=call.has("partial"), strict=call.has("strict"), settings=settings(call),
    )  # fmt: skip
    return _told(call, report)


def _rename(call: Call) -> Result:
    from .servers import renamed

    return _told(call, renamed(call))


def _undo(call: Call) -> Result:
    from .. import engine

    fence(call)
    report = engine.undo(_root(call), call.argument or "", force=call.has("force"), settings=settings(call))
    return _told(call, report)


def _redo(call: Call) -> Result:
    from .. import engine

    fence(call)
    return _told(call, engine.redo(_root(call), call.argument or "", settings=settings(call)))


def _recover(call: Call) -> Result:
    from .. import engine

    fence(call)
    report = engine.recover(_root(call), settings=settings(call))
    if not report.ok or call.has("json") or call.has("quiet"):
        return _told(call, report)
    paint = terminal.painter(sys.stdout, color(call), os.environ)
    return Result(0, [paint("", note.text) for note in report.notes] or ["nothing was left half done"], [], True)


def _told(call: Call, report: Report) -> Result:
    """A report as JSON or in words."""
    if report.partial:
        from .rest import told_in_part

        return told_in_part(call, report)
    if not report.ok:
        return _refused(call, report)
    if call.has("quiet") and not call.has("json"):
        return Result(0, [], [], not report.dry_run)
    if call.has("json") or call.has("for-model"):
        return Result(0, as_asked(call, report), [], not report.dry_run)
    paint = terminal.painter(sys.stdout, color(call), os.environ)
    return Result(0, for_people(call, report, paint), [], not report.dry_run)


def for_people(call: Call, report: Report, paint: Callable[[str, str], str]) -> list[str]:
    """A report on what was done, or would be: then with its diff, else with how to take it back."""
    from .. import report as words

    lines = words.for_people(report, paint, max_lines=_max_lines(call, 0))
    if report.dry_run:
        shown = words.diff_of(report, paint)
        return [*shown, "", *lines] if shown else lines
    if report.receipt and report.receipt.undoable and call.command in ("apply", "rename"):
        lines.append(paint("dim", f"to take it back: anypatch undo {report.receipt.id}{_root_again(call)}"))
    return lines


def _root(call: Call) -> str:
    return call.given.get("root", ".")


def _root_again(call: Call) -> str:
    """The root as it must be given again, in quotes where a shell needs them."""
    if "root" not in call.given:
        return ""
    root = call.given["root"]
    safe = root.replace("/", "").replace(".", "").replace("_", "").replace("-", "").isalnum() and root.isascii()
    return f" --root={root}" if safe else " --root='" + root.replace("'", "'\\''") + "'"


def color(call: Call) -> str:
    """When to use colours."""
    return call.given.get("color", "auto")


def overwrite(call: Call) -> bool | None:
    """Whether files may be overwritten; None as the format says."""
    if call.has("overwrite"):
        return True
    return False if call.has("no-overwrite") else None


# ── the patch ────────────────────────────────────────────────────────────────────────────────────


def patch_text(call: Call) -> str:
    """The patch, from where the call says. Bytes that are no UTF-8 survive as lone surrogates."""
    if call.has("paste"):
        data = _pasted()
    elif call.argument is None or call.argument == "-":
        data = _typed()
    else:
        data = _read(call.argument)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and len(data) % 2 == 0:
        return data.decode("utf-16", "surrogatepass")  # what redirecting writes in some shells
    return data.decode("utf-8", "surrogateescape")


def _pasted() -> bytes:
    from .clipboard import NoClipboard, paste

    try:
        return paste(os.environ)
    except NoClipboard as error:
        raise Refused(Problem("unreadable", str(error))) from None


def _typed() -> bytes:
    if sys.stdin is None:
        raise Refused(Problem("unreadable", "there is no patch: standard input is closed"))
    try:
        if sys.stdin.isatty():
            terminal.write(sys.stderr, ["anypatch: reading the patch from standard input; end it with Ctrl-D"])
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"standard input cannot be read: {_reason(error)}")) from None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"the patch file {path!r} cannot be read: {_reason(error)}")) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


# ── looking only ─────────────────────────────────────────────────────────────────────────────────


def _explain(call: Call) -> Result:
    from .explaining import explained

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
    from .. import engine
    from .receipts import listed

    result = listed(
        call,
        engine.log(_root(call), settings=settings(call)),
        engine.not_ours(_root(call), settings=settings(call)),
        terminal.painter(sys.stdout, color(call), os.environ),
    )
    return result._replace(err=broken_off(_root(call), settings(call)) + result.err)


def _formats(call: Call) -> Result:
    from .. import engine
    from .help import wrapped

    known = engine.formats()
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
    from .. import engine

    return Result(0, engine.format_named(call.argument or "").prompt.rstrip("\n").split("\n"), [])


def _completions(call: Call) -> Result:
    from .. import engine
    from .completions import script

    names = [known.name for known in engine.formats()]
    return Result(0, script(call.argument or "", names).rstrip("\n").split("\n"), [])


def _help(call: Call) -> Result:
    from .help import command_help, program_help
    from .options import BadCall, command_named

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
