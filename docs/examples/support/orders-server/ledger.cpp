#include "ledger.hpp"

#include <fstream>

#include <fcntl.h>
#include <unistd.h>

using foxwedge::Json;

std::optional<Json> Ledger::find(const std::string& key) const {
    if (!by_key_ || key.empty() || path_.empty()) return std::nullopt;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
        if (auto entry = foxwedge::parse_json(line))
            if (foxwedge::string_member(*entry, "key") == key) return std::move(*entry);
    return std::nullopt;
}

bool Ledger::append(const Json& entry) {
    if (path_.empty()) return true;
    const std::string line = foxwedge::to_text(entry) + "\n";
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return false;
    // One write of an appended line is whole even beside another process.
    const bool written =
        ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    ::close(file);
    return written;
}
