#!/bin/sh
# What `make demo` shows: preview, apply, undo, a whole answer and a refusal, on a copy of examples/shop in ./demo.
# usage: sh examples/demo.sh PATH_TO_ANYPATCH
set -eu
anypatch=$1
here=$(dirname "$0")
rm -rf demo
mkdir demo
cp -R "$here/shop/." demo/

step() { printf '\n\033[1m$ %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

step anypatch check examples/shop.chunk.yaml --root demo
"$anypatch" check "$here/shop.chunk.yaml" --root demo
step anypatch apply examples/shop.chunk.yaml --root demo
"$anypatch" apply "$here/shop.chunk.yaml" --root demo
step anypatch log --root demo
"$anypatch" log --root demo
step anypatch undo --root demo
"$anypatch" undo --root demo
diff -r -x .anypatch "$here/shop" demo && echo "every byte of demo/ is as it was"
step 'anypatch apply - --root demo < examples/answer.md    # prose, SEARCH/REPLACE without its indentation, a diff'
"$anypatch" apply - --root demo < "$here/answer.md"
step anypatch undo --root demo --quiet
"$anypatch" undo --root demo --quiet
step anypatch apply examples/ambiguous.chunk.yaml --root demo
"$anypatch" apply "$here/ambiguous.chunk.yaml" --root demo || echo "exit code $?"
step anypatch apply examples/ambiguous.chunk.yaml --root demo --for-model --max-report-lines 14
"$anypatch" apply "$here/ambiguous.chunk.yaml" --root demo --for-model --max-report-lines 14 || echo "exit code $?"
