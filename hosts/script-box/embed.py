#!/usr/bin/env python3
"""Makes a header with a text file in it: embed.py FILE NAME OUT"""
import pathlib
import sys

source, name, out = sys.argv[1:]
text = pathlib.Path(source).read_text("utf-8")
# A string literal may be long, but compilers promise only so much of one: pieces are joined.
pieces = [text[i : i + 8000] for i in range(0, len(text), 8000)]
body = "\n".join(f'R"embedded({piece})embedded"' for piece in pieces)
pathlib.Path(out).write_text(
    f"#pragma once\n#include <string_view>\n\nnamespace script_box {{\n"
    f"inline constexpr std::string_view {name} =\n{body};\n}}\n", "utf-8")
