"""Cut the power at each system call of a change, on real file systems in loop-mounted images; then mount and recover.

    python tests/faults/powerloss.py [--fs ext4,xfs,btrfs] [--step N] [--shapes mixed,update]

At the n-th call the process is killed and the image's backing file is copied at once: what the kernel hasn't written
yet is lost, as in a power cut. Before the copy either nothing more is written; or another process calls fsync, which
commits the file system's journal but not our data; or everything is written. Needs root, loop devices, a C compiler.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).parent))
from rig import KILL, Bench, under_shim
from shapes import LEVELS, SHAPES, actions, code, seen, strays

from anypatch.hints import Durability
from anypatch.storage.tree import Settings

MAKE = {
    "ext4": (["mkfs.ext4", "-q", "-F"], "", 24),
    "ext4-writeback": (["mkfs.ext4", "-q", "-F"], "data=writeback,noauto_da_alloc,nobarrier", 24),
    "xfs": (["mkfs.xfs", "-q", "-f"], "", 320),
    "btrfs": (["mkfs.btrfs", "-q", "-f"], "", 128),
}
WRITE_BACK = ("nothing more", "another's fsync", "everything")


def sh(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Cutter:
    """A mounted image, and copies of it as a power cut leaves them."""

    def __init__(self, folder: Path, kind: str) -> None:
        command, options, size = MAKE[kind]
        self.image, self.copy = folder / "image", folder / "copy"
        self.mounted, self.after = folder / "mounted", folder / "after"
        self.options = f"loop,{options}" if options else "loop"
        with self.image.open("wb") as file:
            file.truncate(size << 20)
        sh(*command, str(self.image))
        for place in (self.mounted, self.after):
            place.mkdir()
        sh("mount", "-o", self.options, str(self.image), str(self.mounted))

    def cut(self, how: str) -> None:
        """Copy the backing file as it is now, and mount the copy."""
        if how == "another's fsync":
            with open(self.mounted / "other", "wb") as file:
                file.write(b"x")
                os.fsync(file.fileno())
        elif how == "everything":
            sh("sync", "-f", str(self.mounted))
        sh("cp", "--sparse=always", str(self.image), str(self.copy))
        options = self.options + (
            ",nouuid" if self.options and MAKE["xfs"][2] << 20 == self.image.stat().st_size else ""
        )
        sh("mount", "-o", options, str(self.copy), str(self.after))

    def unmount(self) -> None:
        sh("umount", str(self.after))

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.mounted)], check=False)


def cuts(cutter: Cutter, shape: str, level: Durability, step: int) -> tuple[int, int, list[str]]:
    """Cut the power at every call of a change. Return the number of cuts, the number of bad ones, and those."""
    bench = Bench(cutter.mounted, shape, level)
    tree = str(cutter.after / "tree")
    recover = actions(tree, SHAPES[shape], Settings(durability=level))["recover"]
    count, bad, at, fired = 0, [], 1, True
    while fired:
        for how in WRITE_BACK:
            bench.start("apply")
            sh("sync", "-f", str(cutter.mounted))
            result, fired = bench.run_with_fault("apply", at, KILL)
            cutter.cut(how)
            try:
                recovered = code(recover)
                files = seen(tree)
                state = "old" if files == bench.old else "new" if files == bench.new else "MIXED"
                count += 1
                if recovered or strays(tree) or state == "MIXED" or (result == 0 and state != "new"):
                    bad.append(f"{shape}/{level} call {at}, {how}: exit {result}, {state}, recovery {recovered}")
            finally:
                cutter.unmount()
        at += step
    return count, len(bad), bad


def run(kinds: list[str], shapes: list[str], step: int) -> int:
    wrong: list[str] = []
    print(f"{'file system':16}{'level':8}{'cuts':>8}{'bad':>6}")
    for kind in kinds:
        if not shutil.which(MAKE[kind][0][0]):
            print(f"{kind:16}skipped: {MAKE[kind][0][0]} is not installed")
            continue
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            cutter = Cutter(Path(folder), kind)
            try:
                for level in LEVELS:
                    rows = [cuts(cutter, shape, cast(Durability, level), step) for shape in shapes]
                    number, bad = sum(row[0] for row in rows), sum(row[1] for row in rows)
                    promised = level != "none"
                    print(
                        f"{kind:16}{level:8}{number:8}{bad:6}{'' if promised else '   (nothing is promised)'}",
                        flush=True,
                    )
                    wrong += [line for row in rows for line in row[2] if promised]
            finally:
                cutter.close()
    for text in wrong[:40]:
        print(text)
    return 1 if wrong else 0


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--fs", default=",".join(MAKE))
    options.add_argument("--shapes", default="mixed,update,nested")
    options.add_argument("--step", type=int, default=1)
    chosen = options.parse_args()
    if os.geteuid() or not shutil.which("losetup") or not os.path.exists("/dev/loop-control"):
        print("skipped: cutting the power needs root and loop devices")
        return 0
    if "SHIM" in os.environ:
        return run(chosen.fs.split(","), chosen.shapes.split(","), chosen.step)
    return under_shim()


if __name__ == "__main__":
    sys.exit(main())
