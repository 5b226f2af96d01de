"""The access list that a new file gets from its folder's default one, as if it had been made there. Bytes only."""

from __future__ import annotations

ACCESS = "system.posix_acl_access"
_HEAD, _ROW = 4, 8
_OWNER, _GROUP, _MASK, _OTHER = 0x01, 0x04, 0x10, 0x20


def inherited(default: bytes, mode: int) -> bytes:
    """The default list, no more rights than `mode` asks for the owner, the mask or group, the others."""
    rows = [default[at : at + _ROW] for at in range(_HEAD, len(default), _ROW)]
    tags = [int.from_bytes(row[:2], "little") for row in rows]
    bounds = {_OWNER: mode >> 6 & 7, _MASK if _MASK in tags else _GROUP: mode >> 3 & 7, _OTHER: mode & 7}
    kept = [
        row[:2] + (int.from_bytes(row[2:4], "little") & bounds.get(tag, 7)).to_bytes(2, "little") + row[4:]
        for tag, row in zip(tags, rows, strict=True)
    ]
    return default[:_HEAD] + b"".join(kept)
