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
        from ..commit.key import folder
        from .fence import put_up

        places = [place for place in (call.given.get("root", "."), call.given.get("state-dir", ""), folder()) if place]
        if all(map(os.path.isdir, places)):  # else one of them is still to be made
            put_up(places)


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
