// What a child process is started with, and how it ended.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace foxwedge::process {

/// Environment variables in order; a later one of the same name wins.
using Environment = std::vector<std::pair<std::string, std::string>>;

struct Command {
    std::string program; ///< a name that is searched in the child's PATH, or a path
    std::vector<std::string> args;
    Environment env; ///< added to minimal_environment(); an empty value is set as empty
    std::string cwd; ///< empty: the host's

    /// Hard limits of the operating system on the program; 0: none.
    std::uint64_t memory_bytes = 0;
    std::uint64_t cpu_seconds = 0;
    std::uint64_t open_files = 0;
};

/// How the program ended.
struct Exit {
    enum class Kind {
        exited,      ///< `value` is its exit code
        signaled,    ///< `value` is the signal
        not_started, ///< `value` is the errno of execve
        lost,        ///< the launcher itself was killed; what became of the program is not known
    };
    Kind kind = Kind::lost;
    int value = 0;
};
/// "exited with code 3", "was ended by signal 9 (Killed)".
std::string to_text(const Exit&);

/// How long a child may take to leave: after its stdin was closed, then after SIGTERM; SIGKILL for
/// the whole tree follows.
struct Ladder {
    std::chrono::milliseconds after_close{2000};
    std::chrono::milliseconds after_term{3000};
};

/// PATH, HOME, LANG, TMPDIR, USER and SHELL of this process, as far as they are set: all that a
/// child gets of the host's environment. Provider keys above all stay here.
Environment minimal_environment();

/// The file that `command` would run, searched as the child itself would. Fails with `not_found`
/// (not_done), naming command, PATH and cwd.
Result<std::string> find_program(const Command&);

/// A program of foxwedge's own that only hosts start ("launcher", "plugin-box"):
/// `$FOXWEDGE_LIBEXEC/<name>`, else beside this program in the build tree (`../<name>/<name>` and
/// up), else in the installed `../libexec/foxwedge`. Fails with `<name>_missing`, naming the
/// places.
Result<std::string> find_libexec(const std::string& name);

} // namespace foxwedge::process
