#!/bin/sh
# Makes sure that programs are there which npm does not bring: `need.sh podman mmdebstrap promtool:prometheus`, each with its
# Debian package where that has another name. In CI (CI=true), or when asked (INSTALL_TOOLS=1), root installs what is missing; else
# this names it and fails, so that nothing is taken for checked that was not.
missing=
packages=
for each in "$@"; do
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
NOT CHECKED: this needs$missing.
On Debian: apt-get install --no-install-recommends$packages
(or run this as root with INSTALL_TOOLS=1, which does so.)
EOF
exit 1
