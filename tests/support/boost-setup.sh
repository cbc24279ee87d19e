#!/usr/bin/env bash
# Unpacks Debian's Boost 1.74 into BUILD/boost-1.74 for the plugin that brings another Boost than the
# host's: boost-setup.sh BUILD
# Its package conflicts with that of 1.81, so it is never installed. Idempotent. Where it cannot be
# had, the test that needs it skips (with CI=true it fails).
set -euo pipefail
build=${1:?usage: boost-setup.sh BUILD}
folder=$build/boost-1.74
[ ! -f "$folder/complete" ] || exit 0
mkdir -p "$folder"
cd "$folder"
if ! apt-get download -qq libboost1.74-dev >download.log 2>&1; then
  echo "Boost 1.74 could not be fetched (see $folder/download.log): its test will be skipped" >&2
  exit 0
fi
for package in libboost*.deb; do dpkg-deb -x "$package" .; done
rm -f libboost*.deb
touch complete
