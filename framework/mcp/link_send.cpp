// Sending: what the pipe does not take now waits in a backlog that whoever leads writes on.
#include "mcp/pending.hpp"

#include <unistd.h>

namespace foxwedge::mcp {

StdioLink::Sent StdioLink::send(std::string line) {
    if (setup_.tap) setup_.tap(true, std::string_view(line).substr(0, line.size() - 1));
    std::size_t gone = 0;
    if (backlog_.empty()) {
        const ssize_t written = child_->write(line);
        if (written < 0) {
            // The pipe has no reader any more: the end of stdout follows, and tells the rest.
            dead_ = true;
            child_->stop();
            return Sent::nothing;
        }
        gone = static_cast<std::size_t>(written);
        if (gone == line.size()) return Sent::whole;
    }
    if (backlog_.empty()) backlog_sent_ = gone;
    backlog_.push_back(std::move(line));
    if (leading_) { // its poll does not watch for room yet
        const std::uint64_t one = 1;
        (void)!::write(wake_, &one, sizeof one);
    }
    return Sent::part;
}

void StdioLink::flush() {
    while (!backlog_.empty()) {
        const std::string& line = backlog_.front();
        const ssize_t written = child_->write(std::string_view(line).substr(backlog_sent_));
        if (written <= 0) {
            if (written < 0) backlog_.clear(); // the end of stdout follows
            return;
        }
        backlog_sent_ += static_cast<std::size_t>(written);
        if (backlog_sent_ < line.size()) return;
        backlog_.pop_front();
        backlog_sent_ = 0;
    }
}

} // namespace foxwedge::mcp
