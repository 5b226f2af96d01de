"""Language servers: their symbols together with the grammars', and renames by them.

with Servers("path/to/tree") as servers:
    anypatch.apply(text, "path/to/tree")     # symbols are those of grammar and server together
servers.notes                                # where only the grammar was used, and why
"""

from .renaming import plan_rename, rename
from .servers import Servers

__all__ = ["Servers", "plan_rename", "rename"]
