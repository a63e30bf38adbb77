#!/bin/sh
# Runs src/main.ts on the Node of this folder, with what a process can only be given at its start.
here=$(cd "$(dirname "$0")" && pwd)
node="$here/../node_modules/.bin/node"
[ -x "$node" ] || node=node

# Without a cache every thread strips the types of its files anew at every start: 50 MB more. It lies
# beside the packages, where only who installed Aglet writes.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$here/../node_modules/.cache/aglet}"
# glibc gives each thread an arena of its own, and each keeps what it once needed.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# By the size of the machine V8 would let 128 MB of short-lived objects gather before it clears them, and what it keeps
# grow fourfold before it looks at that: 150 MB more. Below this, bodies of many events are much slower (docs/performance.md).
exec "$node" --import "$here/preload.mjs" --max-semi-space-size=16 --heap-growing-percent=60 "$here/../src/main.ts" "$@"
