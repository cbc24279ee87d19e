// Lines out of a byte stream: the framing of MCP over stdio. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/id_sniffer.hpp"

namespace foxwedge::mcp {

/// One line, or the notice that one was too long.
struct Frame {
    std::string_view text; ///< without line end; valid until the next call of the reader
    bool too_large = false;
    std::optional<std::string> id; ///< of a line that was too large: its id as a JSON literal
};

/// Keeps at most `limit` bytes of a line, whatever the sizes of the pieces; a longer line is
/// dropped up to its end while its id is looked for. A byte order mark at the start of the stream
/// and a carriage return before the line end are dropped. One thread.
class FrameReader {
public:
    explicit FrameReader(std::size_t limit) : limit_(limit) {}
    ~FrameReader();
    FrameReader(const FrameReader&) = delete;
    FrameReader& operator=(const FrameReader&) = delete;

    /// Room for the next bytes; call `filled` with how many came.
    struct Room {
        char* data;
        std::size_t size;
    };
    Room room();
    void filled(std::size_t bytes) { end_ += bytes; }

    /// The next whole line, if there is one.
    std::optional<Frame> next();
    /// The end of the stream: what was left without a line end.
    std::optional<Frame> rest();

private:
    std::optional<Frame> cut(std::size_t length);
    void make_room();

    const std::size_t limit_;
    char* bytes_ = nullptr;
    std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
    std::size_t searched_ = 0; ///< bytes after begin_ without a line end
    bool first_ = true;
    bool dropping_ = false;
    IdSniffer sniffer_;
};

} // namespace foxwedge::mcp
