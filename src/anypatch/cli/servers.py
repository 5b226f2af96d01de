"""What asks language servers: rename, and --symbols lsp. Words nothing, prints nothing.

A server runs outside of the fence around the process, so all that it is asked is asked before anything is written.
"""

from __future__ import annotations

from .changing import fence, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lsp.backend import Servers
    from ..model import Report
    from .options import Call


def servers(call: Call, root: str) -> Servers:
    """The servers that a call may ask."""
    from ..lsp.backend import Servers

    return Servers(root, _seconds(call))


def renamed(call: Call) -> Report:
    """The answer to `rename`: the server is asked and gone before anything is written."""
    from .. import engine
    from ..renaming import edit_for

    path, name_path, new = call.arguments
    root = call.given.get("root", ".")
    made = edit_for(root, path, new, name_path=name_path, seconds=_seconds(call))
    dry_run = call.has("dry-run")
    if not dry_run:
        fence(call)
    report = engine.apply(
        made.patch, root, format="workspace-edit", dry_run=dry_run, strict=True, settings=settings(call)
    )
    return report._replace(notes=report.notes + made.notes)


def applied(call: Call, text: str, *, dry_run: bool, overwrite: bool | None) -> Report:
    """A patch, with servers beside the grammars: once without writing, and then, fenced in, by what they have said."""
    from .. import engine

    root, format = call.given.get("root", "."), call.given.get("format", "")
    with servers(call, root) as asked:
        whole = _as_rename(call, text, format, root)

        def run(dry_run: bool) -> Report:
            return engine.apply(
                whole or text, root, format="workspace-edit" if whole else format, overwrite=overwrite, dry_run=dry_run,
                again=call.has("again"), partial=call.has("partial"), strict=call.has("strict") or bool(whole),
                settings=settings(call),
            )  # fmt: skip

        report = run(True)
        if not dry_run:
            asked.finish()
            fence(call)
            report = run(False)
    return report._replace(notes=report.notes + tuple(asked.notes))


def _as_rename(call: Call, text: str, format: str, root: str) -> str:
    """The WorkspaceEdit of a patch that is one rename of a symbol and nothing else; "" for any other."""
    from .. import engine
    from ..errors import Refused
    from ..model import Edit, Inside
    from ..renaming import edit_for

    try:
        ops = engine.read(text, format).ops
    except Refused:
        return ""
    said = ops[0].hunks[0] if len(ops) == 1 and isinstance(ops[0], Edit) and len(ops[0].hunks) == 1 else None
    if not isinstance(said, Inside) or said.deed != "rename":
        return ""
    return edit_for(root, ops[0].path, said.text[0], name_path=said.symbol, at=said.at, seconds=_seconds(call)).patch


def _seconds(call: Call) -> float:
    return float(call.given.get("lsp-timeout", 0))
