"""Fuzz every parser and the whole engine for a while: only reports come back, no exception, nothing slow, twice the same.

    python tests/fuzz/run.py SECONDS [TARGET]

Targets are the formats' names and `engine`. The seeds are the patches of tests/cases and of the hostile corpus.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

FILES = {"a": "the secret\nsecond\n", "src/main.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"}


def parser(name: str) -> Callable[[str], None]:
    from anypatch import api

    known = api.format_named(name)

    def one(text: str) -> None:
        known.sniff(text)
        first = known.parse(text)
        assert first == known.parse(text), "the same text is read in two ways"

    return one


def engine_once(text: str) -> None:
    import anypatch

    first = anypatch.apply_to(text, FILES)
    second = anypatch.apply_to(text, FILES)
    assert first.files == second.files and first == second, "the same patch is planned in two ways"
    assert first.ok or first.files == FILES, "a refused patch changed something"
    first.for_model()
    first.to_dict()


def seeds(folder: Path) -> None:
    from support.cases import load
    from support.hostile import WHOLE

    patches = list(WHOLE.values())
    patches += [case.patch for case in load()]
    for number, patch in enumerate(patches):
        data = patch.encode("utf-8", "surrogateescape" if patch.isprintable() else "surrogatepass")
        (folder / str(number)).write_bytes(data[:4096])


def fuzz(target: str, seconds: int) -> None:
    """One target in this process; the fuzzer ends the process itself."""
    import atheris

    with atheris.instrument_imports():
        from anypatch import api
    work = engine_once if target == "engine" else parser(target)
    api.formats()

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        started = time.monotonic()
        work(text)
        assert time.monotonic() - started < 2 or len(text) > 4096, "it took more than two seconds"

    with tempfile.TemporaryDirectory() as folder:
        seeds(Path(folder))
        options = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-verbosity=0"]
        options += ["-print_final_stats=1", f"-artifact_prefix={tempfile.gettempdir()}/anypatch-fuzz-"]
        atheris.Setup([sys.argv[0], folder, *options], one)
        atheris.Fuzz()


def main() -> int:
    seconds = int(sys.argv[1])
    if len(sys.argv) > 2:
        fuzz(sys.argv[2], seconds)
        return 0
    from anypatch import api

    targets = ["engine", *(known.name for known in api.formats())]
    share = max(seconds // (len(targets) + 2), 1)
    failed = []
    for target in targets:
        span = share * 3 if target == "engine" else share
        command = [sys.executable, __file__, str(span), target]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
        runs = [line.split()[-1] for line in done.stderr.split("\n") if "number_of_executed_units" in line]
        print(f"{target:16}{runs[0] if runs else '?':>10} runs {'' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            failed.append(done.stdout[-2000:] + done.stderr[-3000:])
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
