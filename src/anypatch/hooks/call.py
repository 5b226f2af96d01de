"""The tool call that a hook is asked about, the file it names, and the verdict on it. Writes nothing."""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import Any, NamedTuple

from ..answer.dialects import keys_of, plain
from ..limits import Limits
from ..result import Result

FIXED, DENIED = "fixed", "denied"
_MAX_BYTES = Limits().file_bytes


class ToolCall(NamedTuple):
    """A call that a client is about to make. `cwd`: the folder that relative paths start from."""

    client: str
    tool: str
    input: dict[str, Any]
    cwd: str

    def key(self, field: str) -> str:
        """Return the key that holds a field in this vendor's dialect, or "" if there is none."""
        known = keys_of(field)
        return next((key for key, value in self.input.items() if plain(key) in known and value is not None), "")

    def text(self, field: str) -> str:
        """Return a field that is a string, or "" if it is missing or something else."""
        value = self.input.get(self.key(field))
        return value if isinstance(value, str) else ""


class Verdict(NamedTuple):
    """The decision about a call: `action` is FIXED, with the new `input`, or DENIED.

    `why` is for the model, or for the log. `once`: if the same call comes again, let it through.
    """

    action: str
    path: str
    why: str
    input: dict[str, Any] | None = None
    once: bool = False


class TargetFile(NamedTuple):
    """The file that a call names. `text` has LF line endings; `crlf`: in the file they are all CRLF."""

    name: str
    data: bytes
    text: str
    crlf: bool

    @classmethod
    def read(cls, path: str, cwd: str) -> TargetFile | None:
        """Read a file. Return None if there is none, or if clients disagree on what its text is."""
        path = os.path.join(cwd, os.path.expanduser(path))
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # don't wait for the writer of a pipe
            with open(fd, "rb") as file:
                if not S_ISREG(os.fstat(fd).st_mode):
                    return None
                data = file.read(_MAX_BYTES + 1)
            raw = data.decode("utf-8")
        except (OSError, ValueError):
            return None
        text = without_cr(raw)
        crlf = "\r" in raw
        if len(data) > _MAX_BYTES or "\r" in text or "\0" in text or (crlf and text.replace("\n", "\r\n") != raw):
            return None
        return cls(os.path.basename(path), data, text, crlf)

    def after(self, report: Result) -> str | None:
        """Return the text that a plan gives this file, or None if it gives none or a client would write other bytes."""
        if not report.ok or len(report.plan.changes) != 1 or report.plan.changes[0].after is None:
            return None
        data = report.plan.changes[0].after.data
        text = without_cr(data.decode("utf-8", "surrogateescape"))
        written = text.replace("\n", "\r\n") if self.crlf else text
        return text if written.encode("utf-8", "surrogateescape") == data and text != self.text else None


def without_cr(text: str) -> str:
    """Return the text with LF in place of CRLF."""
    return text.replace("\r\n", "\n")
