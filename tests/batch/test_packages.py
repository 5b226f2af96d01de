"""The batch inside other people's pipelines: Ray, datasets. Skipped where they aren't installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anypatch.batch import Apply, Options
from anypatch.batch.run import run

FILES = {"a.py": "a = 1\nb = 2\nc = 3\n"}
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = {}\n>>>>>>> REPLACE\n"
# The first ones fit, so that columns of problems begin empty; a million like them would.
ROWS = [
    {"id": str(n), "answer": BLOCK.format(n) if n < 150 else BLOCK.replace("= 2", "= 9"), "files": json.dumps(FILES)}
    for n in range(200)
]


def wanted() -> list[dict[str, Any]]:
    return [{**result, "ms": 0} for result in map(Apply(), ROWS)]


def compared(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Only the columns of the results, in the order of the rows."""
    names = wanted()[0]
    return sorted([{name: row[name] for name in names} | {"ms": 0} for row in results], key=lambda row: int(row["id"]))


@pytest.fixture(scope="module")
def ray() -> Any:
    package = pytest.importorskip("ray", reason="anypatch[ray] is not installed")
    package.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield package
    package.shutdown()


def test_the_engine_of_ray_gives_the_same(ray: Any, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS) + "{torn\n")
    summaries = {
        engine: run(str(tmp_path / "in.jsonl"), str(tmp_path / engine), Options(), engine=engine, workers=2)
        for engine in ("local", "ray")
    }
    local, other = (
        [json.loads(line) | {"ms": 0} for line in (tmp_path / name).read_text().splitlines()] for name in summaries
    )
    assert local == other and local[:-1] == wanted() and local[-1]["problems"][0]["kind"] == "bad_row"
    assert summaries["local"].kinds == summaries["ray"].kinds


def test_apply_in_ray_data(ray: Any) -> None:
    data = pytest.importorskip("ray.data", reason="ray[data] is not installed")

    for apply in (Apply, Apply()):
        how = {"concurrency": 1} if isinstance(apply, type) else {}
        rows = data.from_items(ROWS).map_batches(apply, batch_size=50, **how).take_all()
        assert compared([_plain(row) for row in rows]) == wanted()
    table = data.from_items(ROWS).map_batches(Apply(), batch_size=50, batch_format="pyarrow").take_all()
    assert compared([_plain(row) for row in table]) == wanted()


def test_apply_in_datasets() -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    results = datasets.Dataset.from_list(ROWS).map(Apply(), batched=True, batch_size=50)
    assert compared(results.to_list()) == wanted()


def _plain(value: Any) -> Any:
    """Arrays as lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value
