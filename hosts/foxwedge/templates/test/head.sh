#!/bin/sh
# run.sh HOST PLUGIN: holds the plugin to the contract, then uses it in a host of its own.
set -eu
host=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugins"
cp "$2" "$work/plugins/@ID@.so"
cp "$here/host.json" "$work/"
export XDG_STATE_HOME="$work/state" FOXWEDGE_PLUGIN_PATH="$work/plugins"
cd "$work"
fail() { echo "run.sh: $*" >&2; exit 1; }
