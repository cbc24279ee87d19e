#include "mcp/frame.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace foxwedge::mcp {
namespace {

constexpr std::size_t piece = 64 * 1024;
constexpr std::size_t kept_when_idle = 1024 * 1024;

} // namespace

FrameReader::~FrameReader() {
    std::free(bytes_);
}

FrameReader::Room FrameReader::room() {
    if (begin_ == end_) {
        begin_ = end_ = searched_ = 0;
        if (capacity_ > kept_when_idle) {
            std::free(bytes_);
            bytes_ = nullptr;
            capacity_ = 0;
        }
    }
    if (capacity_ - end_ < piece) make_room();
    return {bytes_ + end_, capacity_ - end_};
}

void FrameReader::make_room() {
    if (begin_ > 0) {
        std::memmove(bytes_, bytes_ + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (capacity_ - end_ >= piece) return;
    // realloc moves pages, not bytes, once the buffer is large; only touched pages cost memory.
    std::size_t wanted = end_ + end_ / 2 + 2 * piece;
    if (wanted > limit_ + 2 * piece) wanted = limit_ + 2 * piece;
    if (wanted < end_ + piece) wanted = end_ + piece;
    char* grown = static_cast<char*>(std::realloc(bytes_, wanted));
    if (!grown) throw std::bad_alloc();
    bytes_ = grown;
    capacity_ = wanted;
}

std::optional<Frame> FrameReader::next() {
    const std::size_t available = end_ - begin_;
    const char* from = bytes_ + begin_;
    const char* found =
        available > searched_
            ? static_cast<const char*>(std::memchr(from + searched_, '\n', available - searched_))
            : nullptr;
    if (found) return cut(static_cast<std::size_t>(found - from));
    searched_ = available;
    if (dropping_ || available > limit_) {
        dropping_ = true;
        sniffer_.feed({from, available});
        begin_ = end_ = searched_ = 0;
    }
    return std::nullopt;
}

std::optional<Frame> FrameReader::cut(std::size_t length) {
    std::string_view line(bytes_ + begin_, length);
    begin_ += length + 1;
    searched_ = 0;
    if (dropping_ || length > limit_) {
        sniffer_.feed(line);
        Frame frame{{}, true, sniffer_.id()};
        sniffer_ = {};
        dropping_ = false;
        first_ = false;
        return frame;
    }
    if (first_ && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
    first_ = false;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return Frame{line, false, {}};
}

std::optional<Frame> FrameReader::rest() {
    if (begin_ == end_ && !dropping_) return std::nullopt;
    // The missing line end: room() always leaves space for one byte after make_room.
    room().data[0] = '\n';
    filled(1);
    return next();
}

} // namespace foxwedge::mcp
