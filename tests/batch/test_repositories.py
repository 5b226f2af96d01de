"""Rows that name a repository and a commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anypatch.batch import Apply
from support.batches import DIFF, batch, edit, git, lines, make_repositories, results_of, untimed


@pytest.fixture(scope="module")
def repos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    top = tmp_path_factory.mktemp("repos")
    return top, make_repositories(top, tmp_path_factory.mktemp("work"))


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
    results = results_of(tmp_path, answers, "--repos", top)
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


def test_without_git_it_says_so(repos: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = Apply(repos=repos[0])({"repo": "shop/cart", "base_commit": "main", "answer": DIFF})
    assert "git, which reads the repositories, is not installed" in result["problems"][0]["message"]
