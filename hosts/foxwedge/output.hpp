// How things look: colour only on a terminal, columns, times for people, errors with what to do.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli.hpp"

namespace foxwedge::cli {

enum class Ink { plain, bold, dim, green, yellow, red, blue };

/// True if `fd` is a terminal that wants colour (NO_COLOR, TERM=dumb).
bool wants_colour(int fd);
/// `text` in that ink if standard output is to be coloured.
std::string inked(std::string_view text, Ink);
/// The same for standard error.
std::string inked_error(std::string_view text, Ink);

/// What models, servers and files say must not move the cursor, hide what a person is asked to
/// approve or reach the clipboard: all control characters but line ends, tabs and our own colours
/// become U+FFFD.
std::string without_controls(std::string_view text);

// To a terminal without control characters, to a file or a pipe as it is.
void print(std::string_view line); ///< one line on standard output
void note(std::string_view line);  ///< one line on standard error: progress
int output_failure();              ///< errno of the first print that failed, else 0

/// Prints the error and says which exit code it means.
int report(const Globals&, const Error&);
Exit exit_of(const Error&);

/// Left-aligned columns two blanks apart, by display width; the last is not padded.
class Table {
public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

/// "3 min ago", "in 2 h".
std::string relative(Time then, Time now);
/// At most `width` code points on one line, with … where something was cut.
std::string shortened(std::string_view text, std::size_t width);
/// 12345 → "12,345".
std::string grouped(std::int64_t number);

} // namespace foxwedge::cli
