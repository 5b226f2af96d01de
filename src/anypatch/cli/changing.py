"""What the commands that change files share: how changes are made, and the fence around the process."""

from __future__ import annotations

import os
import sys

from . import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..commit.state import Settings
    from .options import Call

_SETTINGS = ("durability", "state-dir", "hardlinks", "lock-timeout", "limit")


def fence(call: Call) -> None:
    """From here on the process writes nowhere but in the tree and in its own state."""
    if terminal.alone and sys.platform == "linux":
        from ..commit.manifest import folder
        from .fence import put_up

        places = [place for place in (call.given.get("state-dir", ""), folder()) if place]
        if call.command == "apply":
            for place in places:  # what the first change would make; behind the fence it could not
                _make(place)
        put_up([call.given.get("root", "."), *places])


def _make(place: str) -> None:
    try:
        os.makedirs(place, 0o700, exist_ok=True)
    except (OSError, ValueError):
        return  # then nothing can be kept there, which the change will tell


def broken_off(root: str, how: Settings | None = None) -> list[str]:
    """What to say before anything is shown of a tree in which a change was broken off."""
    from ..engine import look

    return [f"anypatch: {told.detail}. {told.advice}" for told in look(root, how) if told.kind == "unsettled"]


def settings(call: Call) -> Settings | None:
    """How changes are made, where the call says anything of it."""
    said: dict[str, Any] = {key.replace("-", "_"): call.given[key] for key in _SETTINGS if key in call.given}
    if not said:
        return None
    from ..commit.state import Settings
    from .options import limits_of

    usual = Settings()
    if "limit" in said:
        said["limits"] = usual.limits._replace(**limits_of(said.pop("limit")))
    return usual._replace(lock_timeout=float(said.pop("lock_timeout", usual.lock_timeout)), **said)
