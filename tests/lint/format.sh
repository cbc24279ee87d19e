#!/bin/sh
# Fails when clang-format would change a file. Exit 77: skipped.
root=$1
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "skipped: no clang-format"; exit 77; }
cd "$root" || exit 1
find framework plugins hosts abi tests docs \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' \) -print0 |
  xargs -0 "$tool" --dry-run -Werror
