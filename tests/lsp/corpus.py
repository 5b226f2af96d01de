"""Real source files by grammar, those that are installed here: what tests/lsp/install.py brings, and Python's own."""

from __future__ import annotations

import random
from pathlib import Path

_SERVERS = Path(__file__).parent.parent.parent / ".servers" / "node_modules"
_ANDROID = _SERVERS / "@capacitor" / "android" / "capacitor" / "src" / "main" / "java" / "com" / "getcapacitor"
_NAPI = _SERVERS / "node-addon-api"
# what the C++ files need to be understood, as a server reads it
FLAGS = f"-xc++\n-std=c++17\n-I{_NAPI}\n-I{_SERVERS / 'node-api-headers' / 'include'}\n"

_WANTED = {
    "python": [Path(random.__file__).with_name(name) for name in ("argparse.py", "typing.py", "_pydecimal.py", "inspect.py")],
    "typescript": [
        _SERVERS / "zod" / "src" / name
        for name in ("v3/types.ts", "v4/core/schemas.ts", "v4/core/checks.ts", "v4/core/to-json-schema.ts")
    ],
    "java": [_ANDROID / name for name in ("Bridge.java", "Plugin.java", "WebViewLocalServer.java", "CapConfig.java")],
    "cpp": [_NAPI / name for name in ("napi.h", "napi-inl.h")],
}  # fmt: skip
FILES = {grammar: [file for file in files if file.is_file()] for grammar, files in _WANTED.items()}
