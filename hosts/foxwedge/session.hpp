// One run in the foreground: progress on standard error, questions on the terminal, Ctrl-C.
#pragma once
#include <string>

#include "cli.hpp"
#include "compose/host.hpp"

namespace foxwedge::cli {

/// True once a call of a plugin was left behind: the process must end by _exit.
bool calls_were_left();

/// Executes the run until it ends or waits, prints how it came out, and gives the exit code.
/// Blocks. With `kept` a value is not printed but kept there.
int run_in_foreground(const Globals&, compose::Host&, const std::string& run,
                      const journal::OpenOptions& = {}, run::Finished* kept = nullptr);
/// The same for one that Host::begin gave.
int run_in_foreground(const Globals&, compose::Host&, journal::Engine::Begun,
                      const journal::OpenOptions& = {}, run::Finished* kept = nullptr);

/// Prints a result (or what is waited for) and gives its exit code.
int print_finish(const Globals&, journal::Engine&, const std::string& run, const run::Finished&);

/// "user:<name>": --user, else the OS user.
std::string decided_by(const std::string& user);
std::string os_user();

/// JSON given on the command line: itself, @file, or - for standard input.
Result<std::string> json_argument(const std::string& text);

} // namespace foxwedge::cli
