"""What each command does: asks the engine, words the answer. Returns what to print; prints only the hint to type."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import api
from ..model import Delete, Edit, Hunk, Move, Op, Patch, Receipt, Said, Where, Write, paths_of, signed_hunk, with_paths
from ..problems import Problem, Refused, exit_code, reason
from ..report import changed_files, diff_of, explain, listed, told_blocks
from ..report.json import as_json, json_text, receipt_json
from ..report.words import correction_numbers, many, quoted
from ..storage.state import Settings
from ..text import hash_of
from . import terminal
from .landlock import restrict
from .options import BadCall, command_help, command_named, program_help, wrapped
from .shared import Output, broken_off, folded, layout, painter, patch_text, reported, settings

if TYPE_CHECKING:
    from typing import Any

    from ..batch import Options
    from ..lsp import Servers
    from ..result import Result
    from .options import Call


# ── what changes the tree ────────────────────────────────────────────────────────────────────────


def run_apply(call: Call) -> Output:
    """Apply an answer, or say what that would do; on a terminal the change is shown first."""
    text, shape = patch_text(call), _shape(call)
    if call.given.get("symbols") != "lsp":
        return _applied(call, text, shape)
    from ..lsp import Servers
    from .symbols import as_rename, seconds

    with Servers(call.root, seconds(call)) as servers:
        if renamed := as_rename(call, text, shape):
            text, shape = renamed, None
            call = call._replace(given=call.given | {"format": "workspace-edit", "syntax": "refuse"})
        return _applied(call, text, shape, servers)


run_check = run_diff = run_apply


def _applied(call: Call, text: str, shape: Callable[[Patch], Patch] | None, servers: Servers | None = None) -> Output:
    dry_run = call.command in ("check", "diff") or call.has("dry-run")

    def run(dry_run: bool, expected: dict[str, str] | None = None) -> Result:
        made = _run(call, text, dry_run, shape, expected)
        return made._replace(notes=made.notes + tuple(servers.notes)) if servers else made

    if call.has("fix"):
        shape = _fixed(call, text, shape) or shape
    asked: dict[str, str] | None = None
    if not dry_run and not any(map(call.has, ("yes", "json", "for-model", "quiet"))) and terminal.can_ask():
        seen = run(True)
        if seen.status == "refused" or not seen.plan.changes:
            return reported(call, seen)
        look = layout(call)
        terminal.write(sys.stdout, folded(call, [*told_blocks(seen, look), *diff_of(seen, look.paint)]))
        if not terminal.ask("Apply this? [Y/n] "):
            return Output(1, [], ["nothing was changed"])
        if seen.status == "proposed":  # somebody has seen the proposals now
            call = call._replace(given=call.given | {"accept": "all"})
        # What was shown is what is made, or nothing: somebody may have written in the meantime.
        asked = {change.path: hash_of(change.before.data) for change in seen.plan.changes if change.before}
    if not dry_run and servers:  # they are asked first: a restricted process can run nothing
        run(True)
        servers.finish()
    if not dry_run:
        restrict(call)
    report = run(dry_run, asked)
    if call.command == "diff" and report.status in ("applied", "proposed"):
        told = reported(call, report).err if report.status == "proposed" else []
        return Output(0 if report.ok else 1, terminal.for_output(diff_of(report, painter(call))), told)
    return reported(call, report)


def _fixed(call: Call, text: str, shape: Callable[[Patch], Patch] | None) -> Callable[[Patch], Patch] | None:
    """What puts the corrections of a refusal into the patch; None if some part has none, or several and none is chosen.

    The numbers of --fix=N are those that the report shows.
    """
    from ..repair import corrected_patch

    whole = call._replace(given={key: value for key, value in call.given.items() if key != "partial"})
    seen = _run(whole, text, True, shape)
    if seen.ok:
        return None
    numbers = correction_numbers(seen.problems)
    chosen = [int(number) for number in call.given["fix"].split(",") if number]
    last = numbers[-1].stop - 1 if numbers else 0
    if chosen and max(chosen) > last:
        detail = f"--fix={call.given['fix']}: the report shows {many(last, 'correction')} to choose from"
        raise Refused(Problem("bad_call", detail))
    picks = [[at for at, number in enumerate(own) if number in chosen] if own else [0] for own in numbers]
    fixed = corrected_patch(seen, [one[0] if len(one) == 1 else -1 for one in picks])
    return (lambda _: fixed) if fixed else None


def _run(
    call: Call, text: str, dry_run: bool, shape: Callable[[Patch], Patch] | None, expected: dict[str, str] | None = None
) -> Result:
    accept = api.rules_of(call.accept)
    wish = api.Wish(call.overwrite, call.has("partial"), call.syntax, expected, accept=accept)
    file = call.given.get("file", "")
    if file and call.below and not file.startswith("/"):
        file = f"{call.below}/{file}"
    return api.applied(
        text, call.root, wish, api.format_given(call.format) or "", settings(call) or Settings(), dry_run=dry_run,
        again=call.has("again"), file=file, shape=shape,
    )  # fmt: skip


def _shape(call: Call) -> Callable[[Patch], Patch] | None:
    """What the options make of the patch before it is looked up: paths from a subfolder, some of its edits, its
    inverse."""
    if not (call.below or call.has("only") or call.has("reverse")):
        return None

    def shaped(patch: Patch) -> Patch:
        patch = _from_folder(patch, call.root, call.below) if call.below else patch
        patch = _chosen(patch, call.given["only"]) if call.has("only") else patch
        if call.has("only") or call.has("reverse"):  # which are about edits; a sketch has no number and no inverse
            patch = patch._replace(sketches=(), blocks=tuple(b for b in patch.blocks if b.read_as != "sketch"))
        return patch._replace(ops=tuple(map(_reversed, reversed(patch.ops)))) if call.has("reverse") else patch

    return shaped


def run_undo(call: Call) -> Output:
    """Undo a change."""
    restrict(call)
    return reported(call, api.undo(call.root, call.argument or "", force=call.has("force"), settings=settings(call)))


def run_redo(call: Call) -> Output:
    """Redo what was undone."""
    restrict(call)
    return reported(call, api.redo(call.root, call.argument or "", settings=settings(call)))


def run_recover(call: Call) -> Output:
    """Put back what a crash left half done."""
    restrict(call)
    report = api.recover(call.root, settings=settings(call))
    if not report.ok or call.has("json") or call.has("quiet"):
        return reported(call, report)
    paint = painter(call)
    return Output(0, [paint("", note.text) for note in report.notes] or ["nothing to recover"], [], True)


# ── options that change the patch ───────────────────────────────────────────────────────────────


def _chosen(patch: Patch, numbers: str) -> Patch:
    """The patch with the edits of these numbers only, as in `1,3`."""
    wanted = [int(number) for number in numbers.split(",")]
    if max(wanted) > len(patch.ops):
        raise Refused(Problem("bad_call", f"--only {numbers}: the answer has {many(len(patch.ops), 'edit')}"))
    return patch._replace(ops=tuple(op for number, op in enumerate(patch.ops, 1) if number in wanted))


def _from_folder(patch: Patch, root: str, below: str) -> Patch:
    """The patch with paths that are meant from a folder below the root, where files are there and not below the root.

    In shop/, with the root above it: `cart.py` is shop/cart.py, if there is no other cart.py in the root itself. A new
    file stands beside the files it comes with.
    """
    moved: dict[str, str] = {}
    for path in _paths(patch):
        inner = os.path.normpath(f"{below}/{path}")
        at_root, at_folder = os.path.lexists(os.path.join(root, path)), os.path.lexists(os.path.join(root, inner))
        if at_root and at_folder and inner != path:
            detail = f"there is a {path} in {below}/ and one at the root of the tree"
            raise Refused(Problem("ambiguous", detail, path, advice="Name the root.", command="-C DIR does that."))
        if at_folder and not at_root:
            moved[path] = inner
    if moved:
        for path in _paths(patch):
            if path not in moved and not os.path.lexists(os.path.join(root, path)):
                moved[path] = os.path.normpath(f"{below}/{path}")
    return patch._replace(ops=tuple(with_paths(op, lambda path: moved.get(path, path)) for op in patch.ops))


def _paths(patch: Patch) -> list[str]:
    found = dict.fromkeys(path for op in patch.ops for path in paths_of(op) if path)
    return [path for path in found if not path.startswith(("/", "../")) and "#" not in path]


def _reversed(op: Op) -> Op:
    """The operation that takes this one back, where it says what stood there; Refused where it doesn't."""
    if isinstance(op, Edit) and not op.mode:
        return op._replace(hunks=tuple(_turned(said, op.path) for said in op.hunks), whole=None)
    if isinstance(op, Write) and not (op.overwrite or op.keep or op.mode):
        lines = op.text.removesuffix("\n").split("\n") if op.text else []
        unended = bool(op.text) and not op.text.endswith("\n")
        return Delete(op.path, op.patch_line, old=tuple(lines), whole=True, unended=unended)
    if isinstance(op, Delete) and op.whole and op.old:
        return Write(op.path, "\n".join(op.old) + ("" if op.unended else "\n"), patch_line=op.patch_line)
    if isinstance(op, Move) and not op.keeps:
        return op._replace(path=op.to, to=op.path)
    raise _cannot(op.path, op.patch_line)


def _turned(said: Said, path: str) -> Said:
    """A hunk with old and new exchanged; its own claims on how the file ends with them."""
    if isinstance(said, Hunk) and not said.signed and said.new:
        return said._replace(old=said.new, new=said.old)
    if not isinstance(said, Hunk) or not said.new:
        raise _cannot(path, said.patch_line)
    lines: list[tuple[str, str]] = []
    run: list[tuple[str, str]] = []
    for tag, text in (*said.lines, (" ", "")):
        if tag != " ":
            run.append(("-" if tag == "+" else "+", text))
            continue
        lines += sorted(run, key=lambda one: one[0] == "+")  # what goes stands above what comes
        lines.append((tag, text))
        run = []
    final = {"lost": "made", "made": "lost"}.get(said.where.final, "")
    where = said.where._replace(final=final)
    return signed_hunk(lines[:-1], said.policy, where, said.patch_line)


def _cannot(path: str, line: int) -> Refused:
    detail = "the edit can't be reversed: it doesn't say what was there before"
    return Refused(Problem("cannot_say", detail, path, line, advice="Undo the change, or write the inverse by hand."))


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"


def run_log(call: Call) -> Output:
    """The changes that were made, and what hooks did."""
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
    files = many(len(receipt.changes), "file")
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


def run_show(call: Call) -> Output:
    """One change that was made: what it is, its files, its diff."""
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


def run_explain(call: Call) -> Output:
    """What was sniffed, parsed, located and by which rung, in words or as JSON."""
    text = patch_text(call)
    patch, report = api.read(text, call.format), _run(call, text, True, _shape(call))
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


# ── many answers ─────────────────────────────────────────────────────────────────────────────────


def run_batch(call: Call) -> Output:
    """Apply every answer of a table; the summary is what is printed."""
    from ..batch.run import run

    if not call.has("out"):
        raise Refused(Problem("bad_call", "batch needs --out RESULTS"))
    gc.enable()  # the program does without the collector, but not for a million rows
    options, answers, out = _batch_options(call), call.argument or "-", call.given["out"]
    if call.has("resume") and os.path.exists(out):
        return Output(0, [], [f"anypatch: {terminal.harmless(out)} is already complete"])
    bar = terminal.Bar()
    try:
        summary = run(
            answers, out, options, engine=call.given.get("engine", "local"), workers=int(call.given.get("workers", 0)),
            resume=call.has("resume"), tell=bar.tell,
        )  # fmt: skip
    except KeyboardInterrupt:
        told = "" if out == "-" else f"; {out}.part has what is done; --resume continues it"
        return Output(130, [], [f"anypatch: interrupted{told}"])
    finally:
        bar.clear()
    value = json_text({"ok": True, **summary.as_json()})
    if call.has("summary"):
        try:
            with open(call.given["summary"], "w", encoding="ascii") as file:
                file.write(f"{value}\n")
        except OSError as error:
            detail = f"the summary can't be written to {call.given['summary']!r}: {reason(error)}"
            raise Refused(Problem("io", detail, advice="The results are complete.")) from None
    if call.has("json"):
        lines = [value]
    elif call.has("quiet"):
        lines = []
    else:
        paint = painter(call)
        lines = [paint("", line) for line in summary.lines()]
    # Where the results are on standard output, nothing else is.
    return Output(0, [], lines) if out == "-" else Output(0, lines, [])


def _batch_options(call: Call) -> Options:
    from ..batch import Options
    from ..batch.tables import instances

    columns: dict[str, str] = {}
    for told in call.given.get("column", "").split("\0"):
        name, equals, column = told.partition("=")
        if told and not (equals and column):
            raise Refused(Problem("bad_call", f"--column needs NAME=COLUMN, not {told!r}"))
        columns |= {name: column} if told else {}
    repos = call.given.get("repos", "")
    if repos and not os.path.isdir(repos):
        raise Refused(Problem("unreadable", f"the folder of repositories {repos!r} doesn't exist"))
    known = instances(call.given["instances"]) if call.has("instances") else {}
    syntax = call.given.get("syntax", "off")
    try:
        accept = api.rules_of(call.accept)
        format = api.format_given(call.format) or ""
        return Options(repos, format, call.has("partial"), syntax, columns, known, accept).checked()
    except ValueError as error:
        raise Refused(Problem("bad_call", str(error))) from None


# ── formats, help ────────────────────────────────────────────────────────────────────────────────


def run_formats(call: Call) -> Output:
    """The formats that are understood."""
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


def run_prompt(call: Call) -> Output:
    """How to write a format."""
    return Output(0, api.format_named(call.argument or "").prompt.rstrip("\n").split("\n"), [])


def run_completions(call: Call) -> Output:
    """A script for a shell."""
    from .completions import script

    return Output(0, script(call.argument or "").rstrip("\n").split("\n"), [])


def run_help(call: Call) -> Output:
    """The help of the program, or of a command."""
    if call.argument is None:
        return Output(0, program_help(terminal.width()), [])
    try:
        return Output(0, command_help(command_named(call.argument), terminal.width()), [])
    except BadCall as error:
        raise Refused(Problem("bad_call", str(error), advice="See `anypatch --help`.")) from None


def run_usage(call: Call) -> Output:
    """No command at all: the help, but as an error."""
    return Output(2, [], run_help(call).out)


def run_version(call: Call) -> Output:
    """The version."""
    from .. import __version__

    return Output(0, [f"anypatch {__version__}"], [])
