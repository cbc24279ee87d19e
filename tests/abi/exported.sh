#!/bin/sh
# exported.sh PLUGIN: a plugin exports its entry, as data, and nothing else; it carries one
# descriptor.
set -eu
got=$(nm -D --defined-only "$1" | awk '{print $2, $3}')
case $got in
    "D foxwedge_entry_v1" | "R foxwedge_entry_v1") ;;
    *) echo "$1 exports: $got" >&2; exit 1 ;;
esac
notes=$(readelf -SW "$1" | grep -c '\.note\.foxwedge  *NOTE' || true)
[ "$notes" = 1 ] || { echo "$1 has $notes sections .note.foxwedge, not one" >&2; exit 1; }
