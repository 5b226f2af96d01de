"""Run a tool: ask the engine, and return plain values and a text for the model. Knows no transport."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple

from .. import api
from ..bases import has_hash, readings
from ..hints import FormatName, SyntaxCheck
from ..match.files import find_file, missing
from ..model import File, Receipt
from ..problems import Problem, Refused, in_a_line
from ..rebase import only_inserts
from ..report.files import diff_of
from ..report.json import as_json, receipt_json, symbol_json
from ..report.models import for_model, success_line
from ..report.people import rows_of, symbol_lines
from ..report.words import quoted, session_and_turn
from ..result import Result, no_plan
from ..storage.logs import NOBODY, Caller, verdicts
from ..storage.tree import DiskTree, Settings
from ..symbols import Symbol, find, outline, read
from ..text import decode, hash_of, looks_binary, with_lf
from .memory import FinishedCalls, ShownFiles, ToolResult
from .protocol import Service
from .roots import available_roots, choose_root
from .tools import TOOLS_BY_NAME, Tool, check_arguments

MAX_TEXT = 400_000  # characters of a symbol
_MAX_REPORT = 80  # lines of a report
_MAX_DIFF = 200  # lines of a diff
_MAX_OUTLINE = 400  # lines of an outline as text; the structured one is whole


class Invocation(NamedTuple):
    """A call of a tool with checked arguments, the root it works in, and how changes are made there.

    `key`: the idempotency key that the client sent with it, "" for none; `finished` has the calls of other keys.
    `shown`: the files as each session was shown them.
    """

    tool: str
    arguments: dict[str, Any]
    root: str
    settings: Settings
    syntax: SyntaxCheck = "warn"
    plan_rename: Callable[..., Any] | None = None
    key: str = ""
    finished: FinishedCalls | None = None
    shown: ShownFiles | None = None

    def text(self, name: str) -> str:
        """Return a string argument, or "" if it was left out."""
        return str(self.arguments.get(name, ""))

    def flag(self, name: str) -> bool:
        """Return a boolean argument, or False if it was left out."""
        return bool(self.arguments.get(name))

    def position(self, path: str = "") -> tuple[int, int] | None:
        """Return line and column of a symbol's identifier, from 0; None if the symbol is named instead."""
        if {"line", "column"} <= self.arguments.keys():
            return self.arguments["line"] - 1, self.arguments["column"] - 1
        if not self.text("name_path"):
            raise Refused(Problem("bad_call", f"{self.tool} needs name_path, or line and column", path))
        return None


class Stopped(Exception):
    """The call was cancelled before anything was written."""


class Progress:
    """How far a call has come. Written by the engine's thread, read by the server's."""

    def __init__(self) -> None:
        self.stop = Event()
        self.cancelled = False
        self.files = 0
        self.status = "waiting for its turn"

    def __call__(self, step: str, which: str) -> None:
        """Note that a file is about to be read, or all are about to be written: the last moment to stop."""
        if self.stop.is_set():
            raise Stopped
        self.files += step == "read"
        self.status = f"writing files: {which}" if step == "write" else f"{self.files} files read, now {which}"


def prepare(
    service: Service,
    tool: Tool,
    sent: dict[str, Any],
    client_roots: list[tuple[str, str]] | None,
    caller: Caller = NOBODY,
    key: str = "",
) -> Invocation:
    """Check the arguments of a call and choose its root. Raise Refused if they don't fit."""
    arguments = check_arguments(tool, sent)
    if tool.name == "rename_symbol" and not service.plan_rename:
        advice = "Edit the places one by one, or ask the user to start the server with --lsp."
        raise Refused(Problem("no_server", "this server was started without language servers", advice=advice))
    root = ""
    if "root" in tool.arguments:
        roots = available_roots(service.bounds, client_roots)
        root = choose_root(roots, arguments.pop("root", ""), arguments.get("relative_path", "")).path
    settings = service.settings._replace(session=caller.session, turn=caller.turn)
    plan_rename, finished, shown = service.plan_rename, service.finished, service.shown
    return Invocation(tool.name, arguments, root, settings, service.syntax, plan_rename, key, finished, shown)


def run_tool(call: Invocation) -> ToolResult:
    """Do what the call asks for, or return the result of the first call with its key. A refusal is a result, too."""
    try:
        if call.key and call.finished and not TOOLS_BY_NAME[call.tool].reads:
            asked = json.dumps([call.tool, call.root, call.arguments], sort_keys=True)
            return call.finished.once(call.key, asked, lambda: _HANDLERS[call.tool](call))
        return _HANDLERS[call.tool](call)
    except Refused as refused:
        result = refuse(refused.problems)
        # A tool that only reads needn't say in its first line that nothing was changed.
        return result._replace(text=result.text.partition("\n")[2]) if TOOLS_BY_NAME[call.tool].reads else result


def refuse(problems: tuple[Problem, ...]) -> ToolResult:
    """Return the result of a call that is refused."""
    report = _with_advice_for_agents(no_plan(*problems))
    return ToolResult({**as_json(report)}, for_model(report, _MAX_REPORT), True)


def internal_error(error: Exception) -> ToolResult:
    """Return the result of a call in which anypatch itself failed."""
    if os.environ.get("ANYPATCH_DEBUG") == "1":
        raise error
    advice = "Call history to see whether anything was applied, and ask the user to report this."
    return refuse((Problem("io", f"internal error of anypatch itself ({in_a_line(error)})", advice=advice),))


# ── edits ────────────────────────────────────────────────────────────────────────────────────────


def _apply_patch(call: Invocation) -> ToolResult:
    report = _apply(
        call, call.text("patch"), format=api.format_given(call.text("format")),
        overwrite=call.arguments.get("overwrite"), partial=call.flag("partial"),
        dry_run=call.tool == "check_patch" or call.flag("dry_run"), expected=call.arguments.get("expected_hashes"),
    )  # fmt: skip
    return _report(report)


def _apply(call: Invocation, answer: str, *, expected: dict[str, str] | None = None, **options: Any) -> Result:
    """Apply an answer to the tree, and remember what the session knows of its files then."""
    options |= {"syntax": call.syntax, "settings": call.settings}
    if call.shown is None:
        return api.apply(answer, call.root, expected=expected, **options)
    session, root = call.settings.session, call.root
    known = _with_hashes(call.shown, session, root, expected) if expected else call.shown.known(session, root)
    known, report = _apply_on(known, answer, root, expected, options)
    if "merge_conflict" in report.kinds:  # it shows the lines as they are now
        call.shown.forget(session, root, [problem.path for problem in report.problems])
    if report.written:
        call.shown.add(session, root, _known_after(answer, options["format"], report, known))
    return report


def _apply_on(
    known: dict[str, bytes], answer: str, root: str, expected: dict[str, str] | None, options: dict[str, Any]
) -> tuple[dict[str, bytes], Result]:
    """Apply an answer as one for the files as the session knows them, else as one for those of now; return which."""
    if known and options.get("partial"):  # more of it may have a place in the one than in the other
        looks = [api.apply(answer, root, base=base, **options | {"dry_run": True}) for base in (known, None)]
        known = known if len(looks[0].problems) <= len(looks[1].problems) else {}
    report = api.apply(answer, root, base=known or None, expected=expected, **options)
    if not known or report.status != "refused":
        return known, report
    if "merge_conflict" not in report.kinds:
        return {}, api.apply(answer, root, expected=expected, **options)
    if _only_inserts(answer, root, known, options):
        return {}, api.apply(answer, root, expected=None, **options)
    return known, report


def _only_inserts(answer: str, root: str, known: dict[str, bytes], options: dict[str, Any]) -> bool:
    """Return True if an answer fits the files as they are now, and only inserts lines beside what has changed there.

    Agents add entries below the same line of a list; an answer that only shows that line says where they belong.
    """
    now = api.apply(answer, root, **options | {"dry_run": True})
    files = {change.path: change for change in now.plan.changes if change.path in known}
    if not now.ok or any(not (change.before and change.after) for change in files.values()):
        return False
    alone = api.apply_to(answer, dict(known), format=options["format"], syntax="off")
    return alone.ok and all(
        only_inserts(change.after.text, decode(known[path]), decode(alone.files[path]), change.before.text)
        for path, change in files.items()
        if change.before and change.after
    )


def _with_hashes(shown: ShownFiles, session: str, root: str, expected: dict[str, str]) -> dict[str, bytes]:
    """Return the files that were shown with these hashes."""
    files: dict[str, bytes] = {}
    for key, hash in expected.items():
        for path, symbol in readings(key):
            data = shown.find(session, root, path, lambda data: has_hash(data, path, symbol, hash))  # noqa: B023
            if data is not None:
                files[path] = data
    return files


def _known_after(answer: str, format: FormatName | None, report: Result, known: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files as the model knows them after its edit: of a merged file, without what it wasn't shown."""
    files = {change.path: change.after.data for change in report.plan.changes if change.after}
    merged = {note.path for note in report.notes if note.kind == "merged"}
    if merged:
        before = {change.path: change.before.data for change in report.plan.changes if change.before}
        alone = api.apply_to(answer, before | known, format=format, partial=True, syntax="off")
        files |= {path: alone.files[path] for path in merged if path in alone.files}
    return files


def _edit_symbol(call: Invocation) -> ToolResult:
    """Apply one edit in the format symbol-chunks, which checks the shape of the chunks."""
    edit = {name: value for name, value in call.arguments.items() if name != "dry_run"}
    edit |= {name: edit[name] - 1 for name in ("line", "column") if name in edit}  # the format counts from 0
    if not ("chunks" in edit or "op" in edit):
        raise Refused(Problem("bad_call", "edit_symbol needs chunks, or op"))
    call.position()
    hash, name = call.text("expected_hash"), call.text("name_path")
    expected = {f"{call.text('relative_path')}#{name}": hash} if hash and name and name != "/" else None
    report = _apply(call, json.dumps([edit]), format="symbol-chunks", dry_run=call.flag("dry_run"), expected=expected)
    # We wrote the patch: a problem with it is one with the arguments, and its line numbers mean nothing to the caller.
    problems = [
        problem._replace(kind="bad_call" if problem.kind == "bad_patch" else problem.kind, patch_line=0)
        for problem in report.problems
    ]
    return _report(report._replace(problems=tuple(problems)))


def _rename_symbol(call: Invocation) -> ToolResult:
    assert call.plan_rename
    at = call.position()
    path, _ = _read_file(call)
    patch = call.plan_rename(call.root, path, call.text("new_name"), name_path=call.text("name_path"), at=at)
    report = patch.apply(dry_run=call.flag("dry_run"), settings=call.settings)
    if report.written:
        _note_shown(call, {change.path: change.after.data for change in report.plan.changes if change.after})
    return _report(report)


def _report(report: Result) -> ToolResult:
    report = _with_advice_for_agents(report)
    value: dict[str, Any] = {**as_json(report)}
    value["hashes"] = {change.path: hash_of(change.after.data) for change in report.plan.changes if change.after}
    text = success_line(report) if report.ok and not report.dry_run else for_model(report, _MAX_REPORT)
    if report.dry_run and (report.ok or report.partial):
        value["diff"] = "\n".join(_cut(diff_of(report), _MAX_DIFF, "… {} more lines of the diff"))
        text = f"{text}\n\n{value['diff']}"
    return ToolResult(value, text, not report.ok)


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _outline(call: Invocation) -> ToolResult:
    depth, kinds = call.arguments.get("depth"), {call.text("kind")} if call.text("kind") else None
    folder = call.text("relative_path").strip("/").removeprefix("./")
    with DiskTree(call.root, call.settings) as tree:
        if folder in ("", ".") or tree.has_folder(folder):
            return _outline_of_folder(tree, "" if folder == "." else folder, depth or 1, kinds)
    path, data = _read_file(call)
    symbols = outline(decode(data), path=path, depth=depth, kinds=kinds)
    file_hash = hash_of(data)
    _note_shown(call, {path: data}, known=False)
    file = {"path": path, "hash": file_hash, "symbols": [_symbol_json(symbol) for symbol in symbols]}
    return ToolResult({"ok": True, "files": [file], "problems": []}, _outline_text(path, file_hash, symbols))


def _outline_of_folder(tree: DiskTree, folder: str, depth: int, kinds: set[str] | None) -> ToolResult:
    files, texts = [], []
    for path in tree.below(folder):
        try:
            data = (tree.read(path) or File(b"")).data
            symbols = outline(decode(data), path=path, depth=depth, kinds=kinds)
        except Refused:  # no grammar for it, or too large
            continue
        if symbols:
            files.append({"path": path, "symbols": [_symbol_json(symbol) for symbol in symbols]})
            texts.append(_outline_text(path, "", symbols))
    lines = "\n".join(texts or ["no file here declares a symbol"]).split("\n")
    shown = _cut(lines, _MAX_OUTLINE, "… {} more lines; ask for one of its folders, or with kind")
    return ToolResult({"ok": True, "files": files, "problems": []}, "\n".join(shown))


def _outline_text(path: str, file_hash: str, symbols: Sequence[Symbol]) -> str:
    lines = symbol_lines(symbols) or ["  no symbols"]
    shown = _cut(lines, _MAX_OUTLINE, "  … {} more; ask with depth or kind")
    return "\n".join([f"{quoted(path)}  {file_hash}".rstrip(), *shown])


def _symbol_json(symbol: Symbol) -> dict[str, Any]:
    return _counted_from_one(symbol_json(symbol))


def _counted_from_one(symbol: dict[str, Any]) -> dict[str, Any]:
    """Count line and column of an identifier from 1, like all numbers of the server's own tools."""
    children = [_counted_from_one(child) for child in symbol["children"]]
    return symbol | {"line": symbol["line"] + 1, "column": symbol["column"] + 1, "children": children}


def _read_symbol(call: Invocation) -> ToolResult:
    path, data = _read_file(call)
    text, name_path = decode(data), call.text("name_path")
    if name_path == "/":
        value: dict[str, Any] = {"ok": True, "path": path, "hash": hash_of(data), "text": text}
        head = f"{path}  {value['hash']}"
    else:
        symbol = find(text, path=path, name_path=name_path or None, at=call.position(path))
        text = read(symbol, lead=call.flag("with_comments")).text
        value = {"ok": True, **_symbol_json(symbol), "path": path, "text": text, "eol": symbol.eol}
        head = f"{path}#{symbol.name_path}  {rows_of(symbol)}  {symbol.hash}"
    if len(text) > MAX_TEXT:
        detail = f"it has {len(text)} characters, and at most {MAX_TEXT} are sent at once"
        raise Refused(Problem("limit", detail, path, advice="Call outline, then read the symbols inside it."))
    _note_shown(call, {path: data})
    return ToolResult(value, f"{head}\n{with_lf(text)}")


def _note_shown(call: Invocation, files: dict[str, bytes], *, known: bool = True) -> None:
    """Remember how the session was shown files; without `known`, only their hashes."""
    if call.shown:
        call.shown.add(call.settings.session, call.root, files, known=known)


def _read_file(call: Invocation) -> tuple[str, bytes]:
    """Return path and bytes of the text file that the call names, found as an edit would find it."""
    with DiskTree(call.root, call.settings) as tree:
        path = find_file(call.text("relative_path"), tree, lambda other: tree.read(other) is not None).path
        file = tree.read(path)
        if file is None:
            raise Refused(missing(path, tree))
    if looks_binary(file.data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    return path, file.data


# ── history and formats ──────────────────────────────────────────────────────────────────────────


def _undo(call: Invocation) -> ToolResult:
    """Undo the last receipt, the one named, or several of this session as one change."""
    if len(call.arguments.keys() & {"receipt", "turn", "since", "all"}) > 1:
        raise Refused(Problem("bad_call", "undo takes one of receipt, turn, since and all"))
    report = api.undo(
        call.root, call.text("receipt"), turn=call.flag("turn"), since=call.text("since"), all=call.flag("all"),
        settings=call.settings,
    )  # fmt: skip
    _note_shown(call, {change.path: change.after.data for change in report.plan.changes if change.after})
    return ToolResult({**as_json(report)}, success_line(report)) if report.ok else _report(report)


def _history(call: Invocation) -> ToolResult:
    receipts = api.log(call.root, settings=call.settings)[: call.arguments.get("limit", 20)]
    unsigned = api.not_ours(call.root, settings=call.settings)
    value = {"ok": True, "receipts": [receipt_json(receipt) for receipt in receipts], "not_ours": [*unsigned]}
    value["hooks"] = verdicts(call.root)
    lines = [_receipt_line(receipt) for receipt in receipts]
    if unsigned:
        lines.append(f"Not signed by this user's key, so undo can't use them: {', '.join(unsigned)}")
    return ToolResult(value, "\n".join(lines) or "Nothing has been applied here.")


def _receipt_line(receipt: Receipt) -> str:
    files = [quoted(change.path) for change in receipt.changes[:3]]
    files += [f"and {len(receipt.changes) - 3} more"] if len(receipt.changes) > 3 else []
    parts = (
        receipt.id, time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(receipt.time)), receipt.format,
        "(undone)" if receipt.undone else "", "(in part)" if receipt.partial else "",
        session_and_turn(receipt.session, receipt.turn), ", ".join(files), quoted(receipt.description),
    )  # fmt: skip
    return "  ".join(part for part in parts if part)


def _formats(call: Invocation) -> ToolResult:
    if name := call.text("name"):
        format = api.format_named(name)
        value = {"ok": True, "name": format.name, "summary": format.summary, "prompt": format.prompt}
        return ToolResult(value, format.prompt)
    known = api.formats()
    rows = [{"name": format.name, "summary": format.summary, "can": sorted(format.can)} for format in known]
    return ToolResult({"ok": True, "formats": rows}, "\n".join(f"{row['name']}: {row['summary']}" for row in rows))


_HANDLERS: dict[str, Callable[[Invocation], ToolResult]] = {
    "apply_patch": _apply_patch,
    "check_patch": _apply_patch,
    "edit_symbol": _edit_symbol,
    "outline": _outline,
    "read_symbol": _read_symbol,
    "rename_symbol": _rename_symbol,
    "undo": _undo,
    "history": _history,
    "formats": _formats,
}


# ── words ───────────────────────────────────────────────────────────────────────────────────────────


# Advice that names tools, for kinds whose own is general.
ADVICE = {
    "symbol_not_found": "Call outline for the names in the file, or give the identifier's line and column.",
    "already_applied": "There is nothing to do; undo reverts it.",
    "file_exists": "Edit it instead, choose another name, or set overwrite.",
    "no_receipt": "Call history to see what can be undone.",
    "bad_patch": "Follow the rules of its format; formats with its name returns them.",
    "unknown_format": "Call formats to list them.",
    "bad_root": "Ask the user to start the server with --root DIR.",
    "bad_call": "Correct the arguments and call it again.",
}
_SENSITIVE = "Ask the user: only a server started with --allow-sensitive edits such files."


def _with_advice_for_agents(report: Result) -> Result:
    """Name the tools of this server in advice that is general."""
    advised = []
    for problem in report.problems:
        is_sensitive = problem.kind == "unsafe_path" and problem.command
        other = _SENSITIVE if is_sensitive else "" if problem.is_advised else ADVICE.get(problem.kind, "")
        advised.append(problem._replace(advice=other) if other else problem)
    return report._replace(problems=tuple(advised))


def _cut(lines: list[str], most: int, more: str) -> list[str]:
    """Return the first lines, and a line that counts the others."""
    return [*lines[:most], more.format(len(lines) - most)] if len(lines) > most else lines
