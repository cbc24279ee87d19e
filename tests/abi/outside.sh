#!/bin/sh
# outside.sh SOURCE_ROOT PLUGIN...: builds the samples as a third party does, in a folder of its own,
# with nothing of this tree but what is installed: headers, note.py, plugin.map.
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/prefix/include" "$work/prefix/share/foxwedge" "$work/src"
cp -r "$root/abi/foxwedge" "$work/prefix/include/"
cp "$root/abi/note.py" "$root/abi/plugin.map" "$work/prefix/share/foxwedge/"
cp "$root"/docs/examples/plugins/*/*.c "$root"/docs/examples/plugins/*/*.cpp \
    "$root/docs/examples/plugins/words-c/descriptor.json" "$work/src/"
cd "$work/src"
share=$work/prefix/share/foxwedge
link="-shared -fPIC -fvisibility=hidden -Wl,-z,defs -Wl,--version-script=$share/plugin.map"
"$share/note.py" descriptor.json capability-words note.c
# shellcheck disable=SC2086
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$work/prefix/include" $link words.c note.c \
    -o capability-words.so
for pair in celsius:capability-celsius parrot:provider-parrot brook:provider-brook; do
    # shellcheck disable=SC2086
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$work/prefix/include" $link \
        "${pair%%:*}.cpp" -o "${pair##*:}.so"
done
# The first plugin of the manual, as it stands there.
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$root/docs/plugins.md" >manual.cpp
# shellcheck disable=SC2086
${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$work/prefix/include" $link manual.cpp \
    -o manual.so
for plugin in *.so; do "$root/tests/abi/exported.sh" "$plugin"; done
# The tool for descriptors says what is wrong with one.
if "$share/note.py" descriptor.json another-name note.c 2>said; then
    echo "note.py takes a descriptor of another plugin" >&2
    exit 1
fi
grep -q "\"id\" is 'capability-words'" said
echo '{"id": "x", "components": [{"kind": "k"}]}' >bad.json
if "$share/note.py" bad.json x note.c 2>said; then exit 1; fi
for sentence in version title abi '"kind" must be' '"id" must be'; do grep -q "$sentence" said; done
