"""Runs what README.md and docs/ show, as a reader would: page by page, each in a new folder, from top to bottom.

    python tools/snippets.py            say which pages don't show what happens
    python tools/snippets.py --update   write into the pages what happened

A fence is run by its language:
    console   each `$ command`, in a terminal of 80 columns; below it stands what it shows (`…` alone: any lines)
    sh        a script, which must end well
    python    likewise; `anypatch` is this checkout's
Comments right above a fence say otherwise:
    <!-- file: PATH -->       it is the text of that file         <!-- tree: PATH -->    start in a copy of this folder
    <!-- clipboard -->        it is what was copied               <!-- output -->        what the fence above printed
    <!-- type: y -->          typed when the command asks         <!-- not run: WHY -->  it is left alone
Receipts have other IDs and times in each run; the pages have made-up ones.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parent.parent
sys.path.insert(0, str(TOP / "tools"))
from terminal import shown  # noqa: E402 - beside this file

FENCE = re.compile(r"((?:^<!-- [^\n]* -->\n+)*)^(`{3,})([\w-]*)[^\n]*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"<!-- (file|tree|clipboard|output|type|not run)(?:: ([^\n]*))? -->")
RECEIPT = re.compile(r"(?<!\d)20\d{6}-\d{6}-[0-9a-f]{4}(?![0-9a-f])")
MOMENT = re.compile(r"(?<!\d)20\d\d-\d\d-\d\d \d\d:\d\d(?!\d)")
RUN = ("console", "sh", "python")
# Pages that other tests run (of batch, mcp, hooks), or that are made out of what is tested elsewhere.
ELSEWHERE = ("adapters.md", "agents.md", "api.md", "batch.md", "commands.md", "errors.md", "formats.md", "prompts.md")


def pages() -> list[Path]:
    """Return the pages that are run. The examples of docs/api.md are run where they are written."""
    own = (page for page in sorted((TOP / "docs").glob("*.md")) if page.name not in ELSEWHERE)
    return [TOP / "README.md", TOP / "examples" / "library.md", *own]


class Reader:
    """Somebody who follows a page: a folder, a home, a clipboard, and the IDs that they saw."""

    def __init__(self, scratch: Path) -> None:
        self.folder = scratch / "shop"
        self.folder.mkdir()
        self.clipboard = scratch / "clipboard"
        self.real: dict[str, str] = {}  # the ID of a page: the one of this run
        programs = scratch / "bin"
        programs.mkdir()
        self._program(programs / "anypatch", f'exec {sys.executable} -m anypatch "$@"')
        self._program(programs / "python", f'exec {sys.executable} "$@"')
        self._program(
            programs / "xclip", f'case "$*" in *-o*) cat "{self.clipboard}";; *) cat > "{self.clipboard}";; esac'
        )
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "SSL_CERT_FILE") if name in os.environ}
        self.environment = {
            **kept, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(scratch), "COLUMNS": "80",
            "TERM": "xterm", "NO_COLOR": "1", "DISPLAY": ":0", "XDG_STATE_HOME": f"{scratch}/state",
            "PYTHONPATH": str(TOP / "src"), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }  # fmt: skip

    def _program(self, path: Path, line: str) -> None:
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def console(self, text: str, typed: str) -> str:
        """The commands of a fence again, each with what it shows now."""
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", text, flags=re.MULTILINE)
        again = [parts[0]]
        for command, told in zip(parts[1::2], parts[2::2], strict=True):
            real = RECEIPT.sub(lambda found: self.real.get(found[0], found[0]), command)
            output = self.known(shown(real, self.folder, self.environment, typed=typed))
            again.append(f"$ {command}\n{told if same(told, output) else output}")
        return "".join(again)

    def script(self, language: str, text: str) -> str:
        """Return what a script prints; it must succeed."""
        command = ["sh", "-ec", text] if language == "sh" else [sys.executable, "-c", text]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=120
        )
        if done.returncode:
            raise RuntimeError(f"{text}\nended with {done.returncode}:\n{done.stderr}")
        return self.known(done.stdout)

    def known(self, output: str) -> str:
        """Output with the IDs and folders that the pages have."""
        for found in RECEIPT.findall(output):
            if found not in self.real.values():
                number = len(self.real)
                self.real[f"20261117-0915{number + 12:02}-{(0x6FDD + 7919 * number) & 0xFFFF:04x}"] = found
        made_up = {real: told for told, real in self.real.items()}
        output = MOMENT.sub("2026-11-17 09:15", RECEIPT.sub(lambda found: made_up[found[0]], output))
        lines = output.replace(str(self.folder), "~/shop").splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines)


def same(told: str, output: str) -> bool:
    """Return True if a page has this output; `…` alone on a line stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) for line in told.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, output) is not None


def again(page: Path) -> str:
    """A page as it would be if it showed what happens now."""
    with tempfile.TemporaryDirectory() as scratch:
        reader = Reader(Path(scratch).resolve())
        printed = ""

        def run(fence: re.Match[str]) -> str:
            nonlocal printed
            above, marks, language, text = fence.groups()
            said = dict(DIRECTIVE.findall(above))
            path = reader.folder / said.get("file", "")
            if "tree" in said:
                shutil.copytree(TOP / said["tree"], reader.folder, dirs_exist_ok=True)
            if "not run" in said:
                return fence[0]
            if "file" in said:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            elif "clipboard" in said:
                reader.clipboard.write_text(text)
            elif "output" in said:
                text = text if same(text, printed) else printed
            elif language == "console":
                text = reader.console(text, said.get("type", "").replace(" ", "\n") + "\n" * ("type" in said))
            elif language in RUN:
                printed = reader.script(language, text)
            opening = fence[0][len(above) + len(marks) : fence.start(4) - fence.start()]
            while re.search(rf"^{marks}", text, re.MULTILINE):  # what it shows has fences of its own
                marks += "`"
            return above + marks + opening + text + marks

        return FENCE.sub(run, page.read_text())


def main() -> int:
    stale = []
    names = [name for name in sys.argv[1:] if name != "--update"]
    for page in pages():
        if names and page.name not in names:
            continue
        text = again(page)
        if text != page.read_text():
            stale.append(page.name)
            if "--update" in sys.argv:
                page.write_text(text)
    wrote = "wrote" if "--update" in sys.argv else "not what happens:"
    print(f"{wrote} {', '.join(stale)}" if stale else "every page shows what happens")
    return 1 if stale and "--update" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
