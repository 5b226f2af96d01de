"""Break the code that writes, recovers, undoes and contains in one place at a time: the tests must notice.

    python tests/mutants.py [--sample 200] [--seed 1] [--only storage/swap.py:12] [--verbose] [--bare]

A sample of all places: a comparison turned, a condition negated, `and` for `or`, a number one more, a flag turned, a call
left out, a refusal swallowed, nothing returned. Prints what lived, so that a test can be written, and the share that did
not. Exits with 1 below 90 %.

Broken containment may write anywhere, so it runs where nothing but a scratch folder can be written: in a mount namespace
for root, else under bwrap. Each mutant is a fork of this process, which has pytest imported already; the tests that reach
the broken line (a first run finds them) come first, the quickest before the others, and all the others after them.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
BROKEN = (
    *(f"storage/{file.name}" for file in sorted((SOURCE / "anypatch" / "storage").glob("*.py"))), "limits.py", "paths.py",
)  # fmt: skip
NOT_RUN = ("test_machine.py", "test_mounts.py")  # what is random, and what needs mounts
TESTS = (
    *(file for file in sorted((HERE / "storage").glob("test_*.py")) if file.name not in NOT_RUN),
    HERE / "test_limits.py", HERE / "test_paths.py",
)  # fmt: skip
ENOUGH = 90
MEMORY = 4 << 30

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
Mutation = Callable[[], str]


# ── what can be broken ───────────────────────────────────────────────────────────────────────────


def mutations(tree: ast.Module) -> Iterator[tuple[int, Mutation]]:
    """Every place that can be broken: its line, and what breaks it and says how. Each is for a tree of its own."""
    for node in ast.walk(tree):
        for made in _of(node):
            yield getattr(node, "lineno", 0), made
    for holder in ast.walk(tree):
        found = [getattr(holder, field, None) for field in ("body", "orelse", "finalbody")]
        blocks: list[list[ast.stmt]] = [block for block in found if isinstance(block, list)]
        for block in blocks if not isinstance(holder, ast.Module) else ():
            for at, statement in enumerate(block):
                if isinstance(statement, ast.Raise) or (
                    isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                ):
                    yield statement.lineno, _left_out(block, at)


def _of(node: ast.AST) -> Iterator[Mutation]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED:
        yield lambda: _set(node, "ops", [TURNED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BoolOp):
        yield lambda: _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield lambda: _set(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda: _set(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield lambda: _set(node, "value", int(str(node.value)) + 1)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield lambda: _set(node, "value", ast.Constant(None))


def _set(node: ast.AST, field: str, value: object) -> str:
    before = _head(node)
    setattr(node, field, value)
    return f"{before}  →  {_head(node)}"


def _head(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).partition("\n")[0]


def _left_out(block: list[ast.stmt], at: int) -> Mutation:
    def leave_out() -> str:
        before = _head(block[at])
        block[at] = ast.copy_location(ast.Pass(), block[at])
        return f"{before}  →  left out"

    return leave_out


def places() -> list[tuple[str, int, int]]:
    """Module, line and number of each."""
    found = []
    for name in BROKEN:
        tree = ast.parse((SOURCE / "anypatch" / name).read_text())
        skipped = _unbreakable(tree)
        found += [(name, line, at) for at, (line, _) in enumerate(mutations(tree)) if line not in skipped]
    return found


def _unbreakable(tree: ast.Module) -> set[int]:
    """The lines that are for the type checker only."""
    lines = set()
    for node in tree.body:
        named = ast.unparse(node.test if isinstance(node, ast.If) else node)
        if named.startswith("TYPE_CHECKING"):
            lines |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return lines


def mutated(name: str, at: int) -> tuple[str, str]:
    """A module with one place broken, and what was done where."""
    tree = ast.parse((SOURCE / "anypatch" / name).read_text())
    line, made = list(mutations(tree))[at]
    how = made()
    return ast.unparse(ast.fix_missing_locations(tree)), f"{name}:{line}: {how}"


# ── the tests ────────────────────────────────────────────────────────────────────────────────────


class Finder:
    """For the first run: records how long each test takes and which lines it reaches; under bwrap also what fails there."""

    def __init__(self, work: Path) -> None:
        import coverage

        self.work = work
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.coverage = coverage.Coverage(data_file=None, source=[str(work)], config_file=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        self.coverage.switch_context(item.nodeid)
        began = time.monotonic()
        done = yield
        self.seconds[item.nodeid] = time.monotonic() - began
        return done

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.maxfail = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        reached = {name: data.contexts_by_lineno(str(self.work / "anypatch" / name)) for name in BROKEN}
        found = {"seconds": self.seconds, "reached": reached, "failed": self.failed}
        Path("reached.json").write_text(json.dumps(found))
        if os.geteuid() and session.exitstatus == pytest.ExitCode.TESTS_FAILED:
            session.exitstatus = 0  # under bwrap there are no other users: tests that need them are left out, and named


class Order:
    """For the others: what reaches the broken line first, of that the quickest first."""

    def __init__(self, seconds: dict[str, float], first: set[str], failed: list[str]) -> None:
        self.seconds, self.first, self.failed = seconds, first, failed

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.failed]
        items.sort(key=lambda item: (item.nodeid not in self.first, self.seconds.get(item.nodeid, 0)))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        signal.setitimer(signal.ITIMER_REAL, 10 + 10 * self.seconds.get(item.nodeid, 0))  # then the process is ended


def complaint(work: Path, plugin: Callable[[], object], limit: float) -> str:
    """Return the output of the tests if they fail, or don't end; else ""."""
    os.environ["TMPDIR"] = tempfile.mkdtemp(
        dir=Path.cwd()
    )  # a new one, because something may still be mounted in the last
    if not (pid := os.fork()):
        _tests(work, plugin)
    end = time.monotonic() + limit
    done, status = 0, 0
    while not done and time.monotonic() < end:
        time.sleep(0.02)
        done, status = os.waitpid(pid, os.WNOHANG)
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if not done:
        os.waitpid(pid, 0)
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
    if not done:
        return "it never ends"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "it never ends"
    return "" if status == 0 else Path("output").read_text(errors="replace")[-2000:] or f"it ended with {status}"


def _tests(work: Path, plugin: Callable[[], object]) -> None:
    """In the fork: never returns."""
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        out = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        tempfile.tempdir = None
        sys.path.insert(0, str(work))
        command = ["-xq", "--tb=line", "-p", "no:cacheprovider", f"--basetemp={os.environ['TMPDIR']}/t"]
        command += ["-c", str(HERE.parent / "pyproject.toml"), *map(str, TESTS)]
        code = pytest.main(command, [plugin()])
        if not str(sys.modules["anypatch"].__file__).startswith(str(work)):
            print("the tests ran against another anypatch")
            code = 1
        sys.stdout.flush()
    finally:
        os._exit(code)


# ── the scratch folder ────────────────────────────────────────────────────────────────────────────────────


def confine(scratch: str) -> list[str]:
    """Return what to put before a command so that it can write only to the scratch folder; nothing if that is impossible."""
    if os.geteuid() == 0 and shutil.which("unshare"):
        return ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if shutil.which("bwrap"):
        return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", scratch,
                "--unshare-pid", "--die-with-parent"]  # fmt: skip
    return []


def make_read_only(scratch: str) -> None:
    """As root make all mounts read-only, except a new file system for the scratch folder; then check that it worked."""
    places = [str(HERE), str(SOURCE), os.path.expanduser("~"), "/tmp", "/var/tmp"]
    if os.geteuid() == 0:
        mounted = [line.split(" ")[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
        places += [where.encode().decode("unicode_escape") for where in mounted if where != "/proc"]
        for where in places[5:]:
            subprocess.run(["mount", "-o", "remount,bind,ro", where], check=False, capture_output=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2g", "none", scratch], check=True)
    for where in places:
        if os.access(where, os.W_OK):
            sys.exit(f"{where} can still be written: nothing was broken")


def settle_in(scratch: str) -> Path:
    """The code to be broken, in the scratch folder, where everything that the tests and their children write goes too."""
    os.chdir(scratch)
    work = Path(scratch, "src")
    shutil.copytree(SOURCE, work, ignore=shutil.ignore_patterns("__pycache__"))
    os.environ |= {"PYTHONPATH": str(work), "PYTHONPYCACHEPREFIX": f"{scratch}/pyc", "PYTHONDONTWRITEBYTECODE": "1"}
    os.environ |= {"CI": "1", "HOME": scratch, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.pycache_prefix = f"{scratch}/pyc"
    sys.dont_write_bytecode = False  # what the first run compiles serves all the others
    return work


# ── all of it ────────────────────────────────────────────────────────────────────────────────────


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--sample", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", nargs="*", default=[""], help="modules and lines, as they are printed")
    options.add_argument("--bare", action="store_true", help="run it unconfined, where nothing can confine it")
    options.add_argument("--verbose", action="store_true", help="say also what noticed the others")
    options.add_argument("--inside", default="", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside:
        if not chosen.bare:
            make_read_only(chosen.inside)
        return within(settle_in(chosen.inside), chosen.sample, chosen.seed, chosen.only, chosen.verbose)
    with tempfile.TemporaryDirectory() as scratch:
        before = [] if chosen.bare else confine(scratch)
        if not before and not chosen.bare:
            sys.exit("neither root's unshare nor bwrap is here: broken code could write anywhere; --bare runs it so")
        return subprocess.run([*before, sys.executable, *sys.argv, "--inside", scratch], check=False).returncode


def _last(output: str) -> str:
    return next((line for line in output.splitlines()[::-1] if line.startswith(("FAILED", "ERROR"))), output[-200:])


def within(work: Path, size: int, seed: int, only: list[str], verbose: bool) -> int:
    import hypothesis  # noqa: F401  imported once, for all the forks

    known = [place for place in places() if f"{place[0]}:{place[1]}:".startswith(tuple(only))]
    random.Random(seed).shuffle(known)  # so that a larger sample holds the smaller ones
    sample = known[:size]
    began = time.monotonic()
    if output := complaint(work, lambda: Finder(work), 600):
        sys.exit(f"the tests fail without any change: {output}")
    limit = 30 + 2 * (time.monotonic() - began)
    sys.dont_write_bytecode = True
    found = json.loads(Path("reached.json").read_text())
    if found["failed"]:
        print(f"left out, because they fail under bwrap: {', '.join(found['failed'])}", flush=True)
    lived = endless = 0
    for number, (name, line, at) in enumerate(sample):
        text, what = mutated(name, at)
        broken = work / "anypatch" / name
        broken.write_text(text)
        os.utime(broken, (2**31 + number, 2**31 + number))  # no compiled file is of this time
        first = set(found["reached"][name].get(str(line), ()))
        output = complaint(work, lambda first=first: Order(found["seconds"], first, found["failed"]), limit)  # type: ignore[misc]
        endless += output == "it never ends"
        lived += not output
        if verbose or not output:
            print(f"{what}: noticed: {_last(output)}" if output else f"lives: {what}", flush=True)
        shutil.copy2(SOURCE / "anypatch" / name, broken)
    share = 100 * (len(sample) - lived) / len(sample)
    took = f"{(time.monotonic() - began) / 60:.0f} minutes, {endless} never ended"
    print(f"{len(sample)} of {len(known)} places broken, {lived} not noticed: {share:.1f} % noticed ({took})")
    return 1 if share < ENOUGH else 0


if __name__ == "__main__":
    sys.exit(main())
