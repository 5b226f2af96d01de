"""The log in words and as JSON: what was applied here, newest first. Reads nothing itself."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Receipt
    from .commands import Result
    from .options import Call

_NOTHING = "anypatch: nothing was applied here"
_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"


def listed(
    call: Call, receipts: tuple[Receipt, ...], others: tuple[str, ...], paint: Callable[[str, str], str]
) -> Result:
    """The receipts, as many as are asked for; `others`: ids of those that can't be used."""
    from .commands import Result

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
