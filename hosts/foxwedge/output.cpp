#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "base/text.hpp"

namespace foxwedge::cli {
namespace {

std::string_view code(Ink ink) {
    switch (ink) {
    case Ink::bold:
        return "\x1b[1m";
    case Ink::dim:
        return "\x1b[2m";
    case Ink::green:
        return "\x1b[32m";
    case Ink::yellow:
        return "\x1b[33m";
    case Ink::red:
        return "\x1b[31m";
    case Ink::blue:
        return "\x1b[34m";
    case Ink::plain:
        break;
    }
    return "";
}

std::string paint(std::string_view text, Ink ink, bool colour) {
    if (!colour || ink == Ink::plain) return std::string(text);
    return std::string(code(ink)) + std::string(text) + "\x1b[0m";
}

/// Code points, escape sequences not counted.
std::size_t width(std::string_view text) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            while (i < text.size() && text[i] != 'm') ++i;
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
            ++n;
        }
    }
    return n;
}

} // namespace

bool wants_colour(int fd) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return ::isatty(fd) && !(no_colour && *no_colour) &&
           !(term && std::string_view(term) == "dumb");
}

std::string inked(std::string_view text, Ink ink) {
    static const bool colour = wants_colour(STDOUT_FILENO);
    return paint(text, ink, colour);
}
std::string inked_error(std::string_view text, Ink ink) {
    static const bool colour = wants_colour(STDERR_FILENO);
    return paint(text, ink, colour);
}

namespace {

int output_reason = 0;

/// The length of an escape sequence at the start of `text` that only sets colour or weight, as ours
/// do: none that hides or moves anything. Else 0.
std::size_t harmless_escape(std::string_view text) {
    for (const auto ink : {Ink::bold, Ink::dim, Ink::green, Ink::yellow, Ink::red, Ink::blue})
        if (text.starts_with(code(ink))) return code(ink).size();
    constexpr std::string_view plain = "\x1b[0m";
    return text.starts_with(plain) ? plain.size() : 0;
}

} // namespace

std::string without_controls(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if (const auto length = harmless_escape(text.substr(i))) {
            out += text.substr(i, length);
            i += length - 1;
        } else if (c == 0xC2 && next >= 0x80 && next < 0xA0) { // U+0080 to U+009F
            out += "\uFFFD";
            ++i;
        } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
            out += "\uFFFD";
        } else {
            out += text[i];
        }
    }
    return out;
}

void print(std::string_view line) {
    static const bool to_person = ::isatty(STDOUT_FILENO);
    std::string clean;
    if (to_person) line = clean = without_controls(line);
    const bool whole = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                       std::fputc('\n', stdout) != EOF;
    if (!whole && output_reason == 0) output_reason = errno;
}
int output_failure() {
    return output_reason;
}
void note(std::string_view line) {
    static const bool to_person = ::isatty(STDERR_FILENO);
    const auto whole = (to_person ? without_controls(line) : std::string(line)) + '\n';
    std::fwrite(whole.data(), 1, whole.size(), stderr);
}

Exit exit_of(const Error& error) {
    static constexpr std::pair<std::string_view, Exit> table[] = {{"usage", usage},
                                                                  {"invalid_config", usage},
                                                                  {"not_found", usage},
                                                                  {"invalid_json", usage},
                                                                  {"input_validation", usage},
                                                                  {"unknown_name", usage},
                                                                  {"unknown_server", usage},
                                                                  {"unregistered_tool", usage},
                                                                  {"invalid_duration", usage},
                                                                  {"not_failed", usage},
                                                                  {"too_large", usage},
                                                                  {"unreadable", usage},
                                                                  {"journal_not_empty", usage},
                                                                  {"ambiguous", usage},
                                                                  {"run_held", held},
                                                                  {"replay_mismatch", mismatch},
                                                                  {"key_conflict", usage},
                                                                  {"config_change", usage},
                                                                  {"fork_open", usage},
                                                                  {"invalid_output", usage},
                                                                  {"invalid_export", usage},
                                                                  {"conflict", failed},
                                                                  {"expired", failed},
                                                                  {"not_allowed", usage},
                                                                  {"run_finished", usage},
                                                                  {"run_stuck", failed},
                                                                  {"lease_lost", held},
                                                                  {"budget_exceeded", other_stop}};
    for (const auto& [word, exit] : table)
        if (error.code == word) return exit;
    return fault;
}

int report(const Globals& globals, const Error& error) {
    if (globals.json) {
        JsonObject out{{"code", error.code}, {"message", error.message}};
        if (auto details = parse_json(error.details)) out["details"] = *details;
        print(to_text(JsonObject{{"error", std::move(out)}}));
    } else {
        note(inked_error("error", Ink::red) + ": " + error.message +
             (error.code.empty() ? "" : " [" + error.code + "]"));
    }
    return exit_of(error);
}

void Table::print() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (widths.size() <= i) widths.push_back(0);
            widths[i] = std::max(widths[i], width(row[i]));
        }
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - width(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        cli::print(line);
    }
}

std::string relative(Time then, Time now) {
    return then <= now ? to_human_text(now - then) + " ago" : "in " + to_human_text(then - now);
}

std::string shortened(std::string_view text, std::size_t most) {
    std::string line;
    for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    if (code_points(line) <= most) return line;
    return std::string(first_code_points(line, most - 1)) + "…";
}

std::string grouped(std::int64_t number) {
    auto digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0);
         at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

} // namespace foxwedge::cli
