"""CHUNK YAML: operations with a marker to find and a payload to put there. Finds no place and touches no file."""

from __future__ import annotations

from ..model import Format
from ._chunk_teach import EXAMPLES, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange, Op, Patch, Tally


def sniff(text: str) -> int:
    """How much a text looks like CHUNK YAML."""
    if "op" not in text or "path" not in text:
        return 0
    keyed = any(mark in text for mark in ("op: ", "op:\t", '"op":', '"op" :', "'op':"))
    if "operations" in text and ("operations:" in text or '"operations"' in text):
        return 90 if keyed else 50
    return 60 if keyed and ("- path:" in text or "- op:" in text) else 0


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What a CHUNK document says."""
    from ._chunk_read import parse

    return parse(text, tally)


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as a CHUNK document; Refused where the format has no words for one."""
    from ._chunk_write import document

    return document(changes, wide)


def write(ops: tuple[Op, ...]) -> str:
    """The operations as they were read; Refused where the format has no words for one."""
    from ._chunk_resend import document

    return document(ops)


FORMAT = Format(
    "chunk",
    "CHUNK YAML: operations with a marker to find and a payload to put there",
    sniff,
    parse,
    render,
    frozenset(("create", "delete", "overwrite")),
    PROMPT,
    EXAMPLES,
    write,
    tallied=parse,
)
