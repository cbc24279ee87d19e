#!/usr/bin/env python3
"""Writes the templates of `plugins new` as C++: embed.py OUTPUT NAME=FILE..."""
import sys

target, *pairs = sys.argv[1:]
with open(target, "w", encoding="utf-8") as out:
    out.write('#include "templates.hpp"\n\nnamespace foxwedge::cli {\n\n')
    out.write("const std::map<std::string, std::string>& plugin_templates() {\n")
    out.write("    static const std::map<std::string, std::string> all{\n")
    for pair in pairs:
        name, _, path = pair.partition("=")
        text = open(path, encoding="utf-8").read()
        # One string literal may have 65,536 bytes at most; adjacent ones are one.
        pieces = [text[i:i + 8000] for i in range(0, len(text), 8000)] or [""]
        literal = "\n".join(f'R"~template~({piece})~template~"' for piece in pieces)
        out.write(f'        {{"{name}", {literal}}},\n')
    out.write("    };\n    return all;\n}\n\n} // namespace foxwedge::cli\n")
