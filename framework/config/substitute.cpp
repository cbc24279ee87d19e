#include "config/substitute.hpp"

#include "base/text.hpp"

namespace foxwedge::config {
namespace {

/// One `${…}` in a text, or the literal text before it.
struct Piece {
    std::string_view literal;
    std::string_view form; ///< between the braces; empty at the end of the text
    std::string_view whole;
    bool escaped = false; ///< `$${`
};

/// Cuts the first piece off `rest`; false at the end. An unclosed `${` is literal text.
bool next_piece(std::string_view& rest, Piece& piece) {
    if (rest.empty()) return false;
    const auto at = rest.find("${");
    const auto end = at == rest.npos ? rest.npos : rest.find('}', at);
    if (end == rest.npos) {
        piece = {rest, {}, {}, false};
        rest = {};
        return true;
    }
    piece.escaped = at > 0 && rest[at - 1] == '$';
    piece.literal = rest.substr(0, piece.escaped ? at - 1 : at);
    piece.form = rest.substr(at + 2, end - at - 2);
    piece.whole = rest.substr(at, end - at + 1);
    if (piece.escaped) {
        piece.form = {};
        piece.whole = "${";
        rest.remove_prefix(at + 2);
    } else {
        rest.remove_prefix(end + 1);
    }
    return true;
}

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

std::optional<std::string> from_environment(std::string_view form, const Lookup& environment) {
    form.remove_prefix(4);
    const auto cut = form.find(":-");
    auto found = environment(form.substr(0, cut));
    if (!found && cut != form.npos) return std::string(form.substr(cut + 2));
    return found;
}

enum class Place {
    plain,
    prompt,  ///< ${input…} is for the run
    summary, ///< of an approval rule: ${tool}, ${args.a.b}, … are for the gate
    secret_bearing
};

/// Which rules hold for the member `name` of an object at `pointer`.
Place place_of(Place outer, std::string_view pointer, std::string_view name) {
    if (outer == Place::secret_bearing) return outer;
    if (name == "headers" || name == "env" || name == "token" ||
        (name == "secrets" && pointer.empty()))
        return Place::secret_bearing;
    if (name == "summary") return Place::summary;
    return name == "prompt" || name == "instructions" ? Place::prompt : outer;
}

class Filler {
public:
    Filler(const Sources& sources, Reading& reading) : sources_(sources), reading_(reading) {}

    void fill(Json& value, const std::string& pointer, Place place) {
        if (value.is_object()) {
            for (auto& [name, part] : value.get_object())
                fill(part, pointer_append(pointer, name),
                     place_of(place, pointer, {name.data(), name.size()}));
        } else if (value.is_array()) {
            auto& parts = value.get_array();
            for (std::size_t i = 0; i < parts.size(); ++i)
                fill(parts[i], pointer_append(pointer, i), place);
        } else if (value.is_string() && place != Place::secret_bearing) {
            const std::string_view text = view(value.get_string());
            if (text.find("${") != text.npos) value = Json(filled(text, pointer, place));
        }
    }

private:
    std::string filled(std::string_view rest, const std::string& pointer, Place place) {
        std::string out;
        for (Piece piece; next_piece(rest, piece);) {
            out += piece.literal;
            if (piece.escaped) {
                out += place == Place::plain ? "${" : "$${";
            } else if (!piece.form.empty() || !piece.whole.empty()) {
                out += value_of(piece, pointer, place);
            }
        }
        return out;
    }

    static bool is_left(std::string_view form, Place place) {
        if (place == Place::prompt) return form == "input" || starts(form, "input.");
        return place == Place::summary &&
               (form == "tool" || form == "risk" || form == "iteration" || starts(form, "args."));
    }

    std::string value_of(const Piece& piece, const std::string& pointer, Place place) {
        if (starts(piece.form, "env:")) {
            if (auto found = from_environment(piece.form, sources_.environment)) {
                if (is_utf8(*found)) return *found;
                reading_.problem(pointer, "the environment variable of " +
                                              std::string(piece.whole) + " is no text in UTF-8");
                return {};
            }
            reading_.problem(pointer, "the environment variable of " + std::string(piece.whole) +
                                          " is not set; give a default with ${env:NAME:-default}");
        } else if (starts(piece.form, "file:")) {
            auto text = sources_.file(piece.form.substr(5), pointer);
            if (text) return *text;
            reading_.problem(pointer, text.error().message);
        } else if (starts(piece.form, "secret:")) {
            reading_.problem(pointer, "${secret:…} is allowed only in headers, env and token, so "
                                      "that no secret is recorded");
        } else if (is_left(piece.form, place)) {
            return std::string(piece.whole);
        } else if (piece.form == "input" || starts(piece.form, "input.")) {
            reading_.problem(pointer, "${input…} is filled in only in prompt and instructions");
        } else {
            reading_.problem(pointer, "unknown substitution " + std::string(piece.whole) +
                                          "; known are env:, file:, secret:; write $${ for ${");
        }
        return {};
    }

    const Sources& sources_;
    Reading& reading_;
};

} // namespace

void substitute(Json& value, const Sources& sources, Reading& reading) {
    Filler(sources, reading).fill(value, "", Place::plain);
}

Result<std::string>
resolve_reference(std::string_view text, const Lookup& environment,
                  const std::function<Result<std::string>(std::string_view)>& secret) {
    std::string out;
    for (Piece piece; next_piece(text, piece);) {
        out += piece.literal;
        if (piece.escaped) {
            out += "${";
        } else if (starts(piece.form, "env:")) {
            auto found = from_environment(piece.form, environment);
            if (!found)
                return permanent("unset_variable", "the environment variable of " +
                                                       std::string(piece.whole) + " is not set");
            out += *found;
        } else if (starts(piece.form, "secret:")) {
            FOXWEDGE_TRY(value, secret(piece.form.substr(7)));
            out += value;
        } else {
            out += piece.whole;
        }
    }
    return out;
}

std::set<std::string> secrets_named_in(std::string_view text) {
    std::set<std::string> names;
    for (Piece piece; next_piece(text, piece);)
        if (starts(piece.form, "secret:")) names.insert(std::string(piece.form.substr(7)));
    return names;
}

} // namespace foxwedge::config
