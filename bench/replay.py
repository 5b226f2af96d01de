"""Turn recorded edit calls back into a transcript of Claude Code, and replay it as `anypatch replay` does.

    python bench/replay.py ROWS.jsonl[.gz] [--keep FOLDER]

A row has `answer`, the call as JSON, `before` {path: text}, `status` (ok or failed), and `expected` or `reached`, the
files after it, or after the model had sent it again. Texts may be {"blob": ID, "ops": [[first, last, lines], …]}: a
text of an earlier row {"blob": ID, "text": …} with other lines. Each row becomes a session of its own:

    a Read of the file · the call with its result · if it failed, a Write of what the model reached

So the calls that went through are the recorded ones and as many Writes as there are failed calls.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anypatch.replay import replay


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows, with whole texts."""
    blobs: dict[str, str] = {}

    def text(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        lines = blobs[value["blob"]].split("\n")
        for first, last, new in reversed(value.get("ops", ())):
            lines[first:last] = new
        return "\n".join(lines)

    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            row = json.loads(line)
            if "blob" in row and "text" in row:
                blobs[row["blob"]] = row["text"]
                continue
            for key in ("before", "expected", "reached"):
                row[key] = {name: text(value) for name, value in (row.get(key) or {}).items()}
            yield row


class Session:
    """The records of a session, as Claude Code writes them."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.records: list[dict[str, Any]] = [{"type": "user", "sessionId": id, "message": {"content": "Go."}}]

    def call(self, tool: str, arguments: dict[str, Any], text: str, details: object, *, failed: bool = False) -> None:
        """Add a call and its result."""
        common = {"sessionId": self.id, "cwd": "/work"}
        id = f"toolu_{self.id}_{len(self.records)}"
        use = {"type": "tool_use", "id": id, "name": tool, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
        self.records += [
            {"type": "assistant", **common, "message": {"model": "not recorded", "content": [use]}},
            {"type": "user", **common, "message": {"content": [result]}, "toolUseResult": details},
        ]


def session_of(row: dict[str, Any]) -> Session:
    """Return the session in which a row was recorded, as far as the row tells."""
    session, call = Session(row["id"]), json.loads(row["answer"])
    ((path, before),) = row["before"].items()
    arguments = call["input"]
    lines = before.split("\n")
    shown = {"filePath": path, "content": before, "startLine": 1, "numLines": len(lines), "totalLines": len(lines)}
    session.call("Read", {"file_path": path}, "", {"type": "text", "file": shown})
    if row["status"] == "ok":
        after = row["expected"][path]
        growth = {"oldLines": before.count("\n"), "newLines": after.count("\n")}
        details = {"filePath": path, "oldString": arguments["old_string"], "newString": arguments["new_string"],
                   "originalFile": before, "structuredPatch": [growth], "userModified": False,
                   "replaceAll": arguments.get("replace_all", False)}  # fmt: skip
        session.call(call["name"], arguments, "has been updated", details)
        return session
    count = before.count(arguments["old_string"])
    error = f"Found {count} matches of the string to replace" if count else "String to replace not found in file."
    session.call(call["name"], arguments, error, f"Error: {error}", failed=True)
    after = row["reached"][path]
    details = {"type": "update", "filePath": path, "content": after, "originalFile": before, "structuredPatch": []}
    session.call("Write", {"file_path": path, "content": after}, "has been updated", details)
    return session


def main() -> None:
    """Write the transcripts, replay them, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--keep", type=Path, help="write the transcripts there")
    parser.add_argument("--list", action="store_true", help="list the failed calls")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for row in rows(options.rows):
            session = session_of(row)
            text = "".join(f"{json.dumps(record)}\n" for record in session.records)
            (folder / f"{session.id}.jsonl").write_text(text)
        summary = replay([str(folder)])
    print("\n".join(summary.lines()))
    for failure in summary.failures if options.list else ():
        print(json.dumps(failure))


if __name__ == "__main__":
    main()
