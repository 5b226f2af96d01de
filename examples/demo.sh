#!/bin/sh
# What `make demo` shows: a chat answer as a proposal, accepted, a refusal, its correction with --fix, undo, on a copy of examples/shop in ./demo.
# usage: sh examples/demo.sh PATH_TO_ANYPATCH
set -eu
program=$1
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac
here=$(cd "$(dirname "$0")" && pwd)
rm -rf demo
cp -R "$here/shop" demo
cp "$here/chat.md" "$here/stale.md" demo
mkdir demo/.anypatch  # so that demo/ is a root of its own, also inside a checkout
cd demo

anypatch() { command "$program" "$@"; }
bold() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }
run() { bold "\$ $*"; "$@" || [ $? = 1 ]; echo; }

run cat chat.md
run anypatch apply -y chat.md
run anypatch apply -y --accept all chat.md
run cat stale.md
run anypatch apply -y stale.md
run anypatch apply -y --fix stale.md
run anypatch undo
run anypatch undo
diff -r -x .anypatch -x chat.md -x stale.md "$here/shop" . && echo "every byte of demo/ is as it was"
