#!/bin/sh
# Checks that programs are installed that npm does not bring: `need.sh podman mmdebstrap promtool:prometheus`, each with its Debian
# package after a colon if the name differs; `root` checks for the user. In CI (CI is set) or with INSTALL_TOOLS=1 root installs the
# missing ones. Otherwise it names them and fails, so that a suite is never skipped silently.
missing=
packages=
for each in "$@"; do
  [ "$each" = root ] && [ "$(id -u)" != 0 ] && echo 'NOT CHECKED: this suite needs root.' >&2 && exit 1
  [ "$each" = root ] && continue
  command -v "${each%%:*}" >/dev/null 2>&1 && continue
  missing="$missing ${each%%:*}"
  packages="$packages ${each#*:}"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && { [ -n "$CI" ] || [ -n "$INSTALL_TOOLS" ]; }; then
  # shellcheck disable=SC2086 -- one word for each package
  if apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages >&2; then
    exit 0
  fi
fi
cat >&2 <<EOF
NOT CHECKED: missing$missing.
On Debian: apt-get install --no-install-recommends$packages
(or run the command as root with INSTALL_TOOLS=1, which installs them.)
EOF
exit 1
