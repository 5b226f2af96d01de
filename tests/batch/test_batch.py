"""Many answers at once: tables in and out, git repositories, rows that can't be used, runs that are killed."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import pickle
import pty
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.batch import Applier, Apply, Options
from anypatch.batch.run import worked_on
from anypatch.batch.tables import Answers

FILES = {"a.py": "a = 1\nb = 2\nc = 3\n"}
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n c = 3\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
ROWS: list[dict[str, Any]] = [
    {"id": "diff", "answer": DIFF, "files": FILES},
    {"id": "block", "completion": BLOCK, "files": [{"path": "a.py", "content": FILES["a.py"]}]},
    {"id": "call", "answer": {"path": "a.py", "old_str": "b = 2", "new_str": "b = 3"}, "files": json.dumps(FILES)},
    {
        "id": "chat",
        "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": DIFF}],
        "files": FILES,
    },
    {"id": "gone", "answer": BLOCK.replace("b = 2", "b = 22"), "files": FILES},
]
SAME = ("diff", "block", "call", "chat")


def parquet() -> Any:
    return pytest.importorskip("pyarrow.parquet", reason="anypatch[batch] is not installed")


def batch(*arguments: str | Path, stdin: bytes = b"", code: int = 0) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "anypatch", "batch", *map(str, arguments)], input=stdin, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr + done.stdout, done.stderr
    assert done.returncode == code, done.stderr
    return done


def lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def untimed(data: bytes) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in data.splitlines()]
    return [{name: value for name, value in row.items() if name != "ms"} for row in rows]


def run(tmp_path: Path, rows: list[Any], *arguments: str | Path) -> list[dict[str, Any]]:
    (tmp_path / "in.jsonl").write_bytes(lines(rows))
    (tmp_path / "out.jsonl").unlink(missing_ok=True)
    batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", *arguments)
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_for_each_row_in_order(tmp_path: Path) -> None:
    results = {row["id"]: row for row in run(tmp_path, ROWS)}
    assert list(results) == [row["id"] for row in ROWS]
    assert {name: results[name]["ok"] for name in results} == {name: name in SAME for name in results}
    assert len({results[name]["hash"] for name in SAME}) == len({results[name]["diff"] for name in SAME}) == 1
    diff = results["diff"]
    assert diff["diff"] == "diff --git a/a.py b/a.py\n" + DIFF
    assert diff["changed"] == [{"path": "a.py", "action": "update", "added": 1, "removed": 1}]
    assert (diff["format"], diff["levels"], diff["problems"], diff["partial"]) == ("unified", ["exact"], [], False)
    assert results["block"]["format"] == "search-replace" and diff["ms"] > 0
    gone = results["gone"]
    (problem,) = gone["problems"]
    assert (problem["kind"], problem["path"]) == ("not_found", "a.py") and "not in the file" in problem["message"]
    assert gone["diff"] is gone["hash"] is None and gone["changed"] == []
    assert anypatch.apply_to(gone["corrected"], FILES).files == anypatch.apply_to(BLOCK, FILES).files


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"{torn", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe", "not JSON"),
        ({"files": FILES}, "no answer"),
        ({"answer": 3, "files": FILES}, "answer must be a str"),
        ({"answer": DIFF}, "neither files nor repo"),
        ({"answer": DIFF, "files": [1]}, "its files are neither"),
        ({"answer": DIFF, "files": {"a.py": 1}}, "is not a string"),
        ({"answer": DIFF, "repo": "x/y", "base_commit": "main"}, "no folder of repositories"),
    ],
)
def test_a_row_that_cannot_be_used_is_a_row_with_a_problem(row: Any, why: str, tmp_path: Path) -> None:
    data = row if isinstance(row, bytes) else json.dumps(row).encode()
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS[:1]) + data + b"\n\n" + lines(ROWS[1:2]))
    batch(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    before, bad, after = untimed((tmp_path / "out.jsonl").read_bytes())
    assert before["ok"] and after["ok"] and not bad["ok"]
    assert bad["id"] == 1 and [problem["kind"] for problem in bad["problems"]] == ["bad_row"]
    assert why in bad["problems"][0]["message"]


def test_an_error_of_our_own_is_a_row_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("anypatch.batch.planned_report", broken)
    (problem,) = Apply()(ROWS[0])["problems"]
    assert problem["kind"] == "row_failed" and "RuntimeError: no luck" in problem["message"]


def test_options_reach_the_rows(tmp_path: Path) -> None:
    two = DIFF + "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n"
    assert not run(tmp_path, [{"answer": two, "files": FILES}])[0]["ok"]
    (row,) = run(tmp_path, [{"answer": two, "files": FILES}], "--partial")
    assert row["partial"] and [change["path"] for change in row["changed"]] == ["a.py"]
    broken = [{"text": BLOCK.replace("b = 3", "b = ("), "tree": FILES, "key": "k"}]
    columns = ("--column", "answer=text", "--column=files=tree", "--column", "id=key")
    assert run(tmp_path, broken, *columns)[0]["ok"]
    (row,) = run(tmp_path, broken, *columns, "--syntax=refuse")
    assert (row["id"], [problem["kind"] for problem in row["problems"]]) == ("k", ["syntax"])
    assert not run(tmp_path, ROWS[:1], "--format", "search-replace")[0]["ok"]


def test_diffs_are_what_git_applies(tmp_path: Path) -> None:
    """Whatever the line ends, with and without a last one, new, deleted, and with odd names."""
    before = {"a": "1\n2\r\n3", "b c.txt": "x\n", "d/ü.txt": "".join(f"{n}\n" for n in range(40)), "gone": "g\n"}
    calls = [
        {"path": "a", "old_str": "3", "new_str": "three"},
        {"path": "a", "old_str": "1\n", "new_str": "one\n"},
        {"path": "b c.txt", "old_str": "x\n", "new_str": "x\ny"},
        {"path": "d/ü.txt", "old_str": "\n5\n", "new_str": "\nfive\n"},
        {"path": "d/ü.txt", "old_str": "\n30\n", "new_str": "\n"},
    ]
    tail = "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n"
    for answer in (calls, tail):
        after = anypatch.apply_to(answer, before)
        assert after.ok, after.problems
        result = Apply()({"answer": answer, "files": before})
        root = tmp_path / str(len(answer))
        for path, text in before.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        subprocess.run(["git", "apply", "-"], input=result["diff"].encode(), cwd=root, check=True)
        found = {str(path.relative_to(root)): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}
        assert found == after.files


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def test_all_sorts_of_tables_give_the_same(tmp_path: Path) -> None:
    wanted = [{name: value for name, value in row.items() if name != "ms"} for row in run(tmp_path, ROWS)]
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(lines(ROWS)))
    batch(tmp_path / "in.jsonl.gz", "--out", tmp_path / "out.jsonl.gz")
    assert untimed(gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes())) == wanted
    piped = batch("-", "--out", "-", stdin=lines(ROWS))
    assert untimed(piped.stdout) == wanted and b"search-replace" in piped.stderr
    (tmp_path / "in.json").write_text(json.dumps(ROWS))
    batch(tmp_path / "in.json", "--out", tmp_path / "json.jsonl", "--workers", "1")
    assert untimed((tmp_path / "json.jsonl").read_bytes()) == wanted
    assert not list(tmp_path.glob("*.part*"))


def test_parquet_in_and_out(tmp_path: Path) -> None:
    pq, pa = parquet(), pytest.importorskip("pyarrow")
    rows = [{"id": row["id"], "answer": row["answer"], "files": list(FILES.items())} for row in (ROWS[0], ROWS[4])]
    rows.append({"id": "bytes", "answer": DIFF.replace("+b = 3", "+b = '\ud83d'"), "files": list(FILES.items())})
    rows[2]["answer"] = DIFF.replace("+b = 3", "+b = 'ä'")
    schema = pa.schema({"id": pa.string(), "answer": pa.string(), "files": pa.map_(pa.string(), pa.string())})
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "in.parquet")
    batch(tmp_path / "in.parquet", "--out", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    wanted = run(tmp_path, [{**row, "files": FILES} for row in rows])
    for found, row in zip(table, wanted, strict=True):
        assert {**found, "ms": 0} == {**row, "ms": 0}


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(anypatch.PatchError) as caught:
        list(Answers(str(tmp_path / "in.parquet")).chunks())
    assert caught.value.problems[0].advice == "Run: python -m pip install 'pyarrow>=17'"


@pytest.mark.parametrize(
    ("name", "data"),
    [("in.jsonl.gz", gzip.compress(lines(ROWS * 9))[:-20]), ("in.json", b"3"), ("in.json", b"{"), ("none.jsonl", None)],
)
def test_a_table_that_cannot_be_read_is_told(name: str, data: bytes | None, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    done = batch(tmp_path / name, "--out", tmp_path / "out.jsonl", code=2)
    assert f"{tmp_path / name} can't be read".encode() in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    run(tmp_path, ROWS)
    before = (tmp_path / "out.jsonl").read_bytes()
    assert b"already exists" in batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", code=2).stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before
    (tmp_path / "other.jsonl.part").write_bytes(b"")
    assert b"--resume" in batch(tmp_path / "in.jsonl", "--out", tmp_path / "other.jsonl", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "needs --out"),
        (("--out=o", "--column=x"), "--column needs NAME=COLUMN"),
        (("--out=o", "--column=x=y"), "columns are named for id, answer"),
        (("--out=o", "--workers=0"), "whole number, at least 1"),
        (("--out=o", "--format=unifeid"), "unified"),
        (("--out=nowhere/o",), "can't be written"),
        (("--out=o", "--repos=nowhere"), "'nowhere' doesn't exist"),
        (("--out=o", "--instances=nowhere"), "nowhere can't be read"),
    ],
)
def test_a_bad_call_is_told_before_anything_is_done(arguments: tuple[str, ...], why: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    assert why in batch(tmp_path / "in.jsonl", *arguments, code=2).stderr.decode()
    assert list(tmp_path.iterdir()) == [tmp_path / "in.jsonl"]


def test_the_summary(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS) + b"{\n")
    done = batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl", "--summary", tmp_path / "s.json")
    value = json.loads((tmp_path / "s.json").read_text())
    assert {name: value[name] for name in ("rows", "applied", "partial", "refused")} == {
        "rows": 6, "applied": 4, "partial": 0, "refused": 2,
    }  # fmt: skip
    assert value["by_kind"] == {"not_found": 1, "bad_row": 1} and value["by_level"]["exact"] == 4
    assert value["by_format"]["search-replace"] == {"applied": 1, "partial": 0, "proposed": 0, "refused": 1}
    assert 0 < value["ms"]["median"] <= value["ms"]["p95"]
    table = done.stdout.decode().split("\n")
    assert table[0].split() == ["format", "rows", "applied", "partial", "proposed", "refused"]
    assert ["all", "6", "4", "0", "0", "2", "66.7%"] in [line.split() for line in table]
    assert batch(tmp_path / "in.jsonl", "--out", tmp_path / "q.jsonl", "--quiet").stdout == b""
    assert json.loads(batch(tmp_path / "in.jsonl", "--out", tmp_path / "j.jsonl", "--json").stdout)["rows"] == 6


def test_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS * 300))
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "anypatch",
        "batch",
        str(tmp_path / "in.jsonl"),
        "--out",
        str(tmp_path / "o.jsonl"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(ours)
    assert process.wait() == 0
    bars = re.findall(rb"\[(#*)\.*\] ([\d,]+)", shown)
    assert bars and sorted(bars, key=lambda bar: len(bar[0])) == bars
    assert shown.endswith(b"\r\x1b[K"), "it goes in the end"


# ── git repositories ─────────────────────────────────────────────────────────────────────────────


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A bare repository with two commits, and one that is no longer anything."""
    top = tmp_path_factory.mktemp("repos")
    work = tmp_path_factory.mktemp("work")
    git(work, "init", "-q", "-b", "main")
    (work / "pkg/deep").mkdir(parents=True)
    (work / "pkg/a.py").write_text(FILES["a.py"])
    (work / "pkg/deep/run.sh").write_text("echo 1\n")
    (work / "pkg/deep/run.sh").chmod(0o755)
    (work / "link.py").symlink_to("pkg/a.py")
    (work / "folder").symlink_to("pkg/deep")
    (work / "out").symlink_to("../../etc/passwd")
    (work / "loop").symlink_to("loop")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "one")
    (work / "pkg/a.py").write_text("a = 1\nb = 20\nc = 3\n")
    git(work, "commit", "-qam", "two")
    (top / "shop").mkdir()
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(top / "shop/cart.git")], check=True)
    (top / "broken").mkdir()
    (top / "broken/HEAD").write_text("x")
    return top, [git(work, "rev-parse", "HEAD~1"), git(work, "rev-parse", "HEAD")]


def edit(path: str, old: str = "b = 2", new: str = "b = 3") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def test_rows_that_name_a_commit(repos: tuple[Path, list[str]], tmp_path: Path) -> None:
    top, (one, two) = repos
    row = {"repo": "shop/cart", "base_commit": one}
    answers: list[dict[str, Any]] = [
        row | {"answer": edit("pkg/a.py")},
        row | {"answer": edit("pkg/a.py"), "base_commit": two},
        row | {"answer": edit("pkg/a.py", "b = 20"), "base_commit": "main"},
        row | {"answer": edit("link.py")},
        row | {"answer": edit("folder/run.sh", "echo 1", "echo 2")},
        row | {"answer": edit("deep/run.sh", "echo 1", "echo 2")},
        row | {"answer": "--- a/link.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-pkg/a.py\n"},
    ]
    results = run(tmp_path, answers, "--repos", top)
    paths = [[change["path"] for change in result["changed"]] for result in results]
    assert paths == [["pkg/a.py"], [], ["pkg/a.py"], ["pkg/a.py"], *[["pkg/deep/run.sh"]] * 2, ["link.py"]]
    assert results[0]["hash"] == results[3]["hash"] and results[4]["diff"] == results[5]["diff"]
    assert "mode" not in results[4]["diff"] and "deleted file mode 120000" in results[6]["diff"]
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "clone", "-q", str(top / "shop/cart.git"), str(checkout)], check=True)
    for result, commit in zip(results, [one, two, "main", one, one, one, one], strict=True):
        git(checkout, "checkout", "-q", commit)
        subprocess.run(["git", "apply", "--check", "--allow-empty"], input=(result["diff"] or "").encode(), cwd=checkout, check=True)  # fmt: skip


@pytest.mark.parametrize(
    ("more", "kind", "why"),
    [
        ({"repo": "shop/none"}, "bad_row", "there is no repository shop/none"),
        ({"repo": "../shop/cart"}, "bad_row", "not the name of a repository"),
        ({"base_commit": "0" * 40}, "bad_row", "has no commit"),
        ({"base_commit": "HEAD\nHEAD"}, "bad_row", "not the name of a commit"),
        ({"base_commit": "--help"}, "bad_row", "not the name of a commit"),
        ({"repo": "broken"}, "unreadable", "git ended"),
        ({"answer": edit("out")}, "unsafe_path", "leads out of the root"),
        ({"answer": edit("loop")}, "unsafe_path", "loop"),
        ({"answer": edit("pkg/deep")}, "not_a_file", "directory"),
        ({"answer": edit("pkg/none.py")}, "file_missing", "pkg/none.py"),
    ],
)
def test_what_a_repository_does_not_hold(
    repos: tuple[Path, list[str]], more: dict[str, str], kind: str, why: str
) -> None:
    top, (one, _) = repos
    result = Apply(repos=top)({"repo": "shop/cart", "base_commit": one, "answer": edit("pkg/a.py"), **more})
    assert [problem["kind"] for problem in result["problems"]] == [kind]
    assert why in result["problems"][0]["message"]


def test_swe_bench_predictions(repos: tuple[Path, list[str]], tmp_path: Path) -> None:
    top, (one, _) = repos
    prediction = {"model_name_or_path": "m", "model_patch": DIFF.replace("a.py", "pkg/a.py")}
    (tmp_path / "preds.json").write_text(json.dumps({"shop__cart-1": prediction, "shop__cart-2": prediction}))
    (tmp_path / "dataset.jsonl").write_bytes(
        lines([{"instance_id": "shop__cart-1", "repo": "shop/cart", "base_commit": one}])
    )
    batch(
        tmp_path / "preds.json", "--instances", tmp_path / "dataset.jsonl", "--repos", top, "-o", tmp_path / "o.jsonl"
    )
    first, second = untimed((tmp_path / "o.jsonl").read_bytes())
    assert first["id"] == "shop__cart-1" and first["ok"]
    assert second["id"] == "shop__cart-2" and "not a known instance" in second["problems"][0]["message"]


# ── killed, and gone on with ─────────────────────────────────────────────────────────────────────


def test_killed_at_any_moment_no_row_is_lost_or_doubled(tmp_path: Path) -> None:
    rows = [{"id": str(n), "answer": edit("a.py", "b = 2", f"b = {n}"), "files": FILES} for n in range(3000)]
    (tmp_path / "in.jsonl").write_bytes(lines(rows))
    batch(tmp_path / "in.jsonl", "--out", tmp_path / "whole.jsonl")
    wanted = untimed((tmp_path / "whole.jsonl").read_bytes())
    out, part, dice, kills = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part", random.Random(17), 0
    command = [sys.executable, "-m", "anypatch", "batch", str(tmp_path / "in.jsonl"), "--out", str(out), "--resume"]
    for _ in range(5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        size = part.stat().st_size if part.exists() else 0
        while process.poll() is None and (part.stat().st_size if part.exists() else 0) <= size:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.1))
        kills += process.poll() is None
        process.kill()
        process.wait()
        if part.exists():
            part.write_bytes(part.read_bytes() + b'{"id": "torn'[: dice.randrange(12)])  # as a full disk leaves it
    batch(tmp_path / "in.jsonl", "--out", out, "--resume")
    assert b"already complete" in batch(tmp_path / "in.jsonl", "--out", out, "--resume").stderr
    assert kills and untimed(out.read_bytes()) == wanted


def test_only_what_was_begun_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    (tmp_path / "out.jsonl.part").write_bytes(lines(run(tmp_path, ROWS[1:3])))
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    (tmp_path / "out.jsonl").unlink()
    done = batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", "--resume", code=2)
    assert b"end with 'call', which isn't row 2" in done.stderr


def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anypatch", "batch", "-", "--out", str(tmp_path / "o.jsonl"), "--workers", "2"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(lines(ROWS * 200))
    process.stdin.flush()
    deadline = time.monotonic() + 20
    children: list[int] = []
    while len(children) < 2 and time.monotonic() < deadline:
        children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.wait()
    while any(Path(f"/proc/{pid}/exe").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children and not any(Path(f"/proc/{pid}/exe").exists() for pid in children)


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="processes must inherit what is patched")
def test_a_row_that_kills_its_process_is_a_row_with_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Applier.results

    def deadly(self: Any, rows: Any, first: int = 0) -> Any:
        if any(b"kill" in row for row in rows):
            os._exit(9)
        return real(self, rows, first)

    monkeypatch.setattr(Applier, "results", deadly)
    data = [json.dumps({**ROWS[0], "id": "kill" if n in (3, 41) else str(n)}).encode() for n in range(60)]
    chunks = [data[at : at + 7] for at in range(0, 60, 7)]
    results = [result for made in worked_on(chunks, Options(), "local", 2) for result in made]
    assert [result["id"] for result in results] == ["kill" if n in (3, 41) else str(n) for n in range(60)]
    assert [n for n, result in enumerate(results) if not result["ok"]] == [3, 41]
    assert results[3]["problems"][0]["kind"] == "row_failed"


# ── the library ──────────────────────────────────────────────────────────────────────────────────


def test_apply_takes_rows_columns_and_tables() -> None:
    apply = pickle.loads(pickle.dumps(Apply()))
    rows = [{"id": row["id"], "answer": row["answer"], "files": json.dumps(FILES)} for row in (ROWS[0], ROWS[4])]
    wanted = [apply(row) for row in rows]
    assert [row["ok"] for row in wanted] == [True, False]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for made in (apply(columns), list(map(apply, rows)), pickle.loads(pickle.dumps(apply))(columns)):
        found = made
        if isinstance(made, dict):
            found = [dict(zip(made, values, strict=True)) for values in zip(*made.values(), strict=True)]
        assert [{**row, "ms": 0} for row in found] == [{**row, "ms": 0} for row in wanted]
    assert apply({"answer": [], "files": []}) == {}
    pa = pytest.importorskip("pyarrow", reason="anypatch[batch] is not installed")
    assert apply(pa.Table.from_pylist(rows))["hash"].to_pylist() == [row["hash"] for row in wanted]


def test_it_is_found_where_the_library_is() -> None:
    assert anypatch.batch.Apply is Apply and {"batch", "apply", "same_effect"} <= set(dir(anypatch))


def test_without_git_it_says_so(repos: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = Apply(repos=repos[0])({"repo": "shop/cart", "base_commit": "main", "answer": DIFF})
    assert "git, which reads the repositories, is not installed" in result["problems"][0]["message"]


def test_wrong_options_raise_at_once() -> None:
    with pytest.raises(ValueError, match="syntax must be one of"):
        Apply(syntax="strict")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="columns are named for"):
        Apply(columns={"text": "answer"})
    with pytest.raises(ValueError, match="Did you mean unified"):
        Apply(format="unifeid")  # type: ignore[arg-type]


# ── the page ─────────────────────────────────────────────────────────────────────────────────────


def test_the_recipes_of_the_page_run(repos: tuple[Path, list[str]], tmp_path: Path) -> None:
    """Each as it stands there, one after the other, in a folder with the files that they name."""
    top, (one, _) = repos
    (tmp_path / "answers.jsonl").write_bytes(lines([{"answer": DIFF, "files": FILES}, {"answer": BLOCK.replace("= 2", "= 9"), "files": FILES}]))  # fmt: skip
    (tmp_path / "preds.json").write_text(
        json.dumps([{"instance_id": "i", "model_patch": DIFF.replace("a.py", "pkg/a.py")}])
    )
    (tmp_path / "dataset.jsonl").write_bytes(lines([{"instance_id": "i", "repo": "shop/cart", "base_commit": one}]))
    (tmp_path / "repos").symlink_to(top)
    program = tmp_path / "bin" / "anypatch"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    program.chmod(0o755)
    page = (Path(__file__).parents[2] / "docs/batch.md").read_text()
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [language for language, _ in fences] == ["sh", "sh", "python", "python", "python"]
    for language, text in fences:
        command = ["sh", "-ec", text] if language == "sh" else [sys.executable, "-c", text]
        env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if text.startswith("anypatch batch answers.jsonl"):
            shown = re.findall(r"^ {4}(format .*?)\n\n\S", page, re.MULTILINE | re.DOTALL)[0]
            assert done.stdout.split() == shown.split()
    assert untimed((tmp_path / "checked.jsonl").read_bytes())[0]["ok"]
