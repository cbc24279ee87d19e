#include "output.hpp"

#include <algorithm>
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

void print(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
}
void note(std::string_view line) {
    const auto whole = std::string(line) + '\n';
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
                                                                  {"ambiguous", usage},
                                                                  {"run_held", held},
                                                                  {"replay_mismatch", mismatch},
                                                                  {"key_conflict", usage},
                                                                  {"config_change", usage},
                                                                  {"fork_open", usage},
                                                                  {"invalid_output", usage},
                                                                  {"invalid_duration", usage},
                                                                  {"invalid_export", usage},
                                                                  {"journal_not_empty", usage},
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
