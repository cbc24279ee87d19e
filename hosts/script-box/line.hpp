// The box's end of its two pipes: lines in, lines out.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace script_box {

/// Lines of the host. Blocks.
class Input {
public:
    /// False when the host is gone.
    bool next(std::string& line);
    /// True if the next line is here already.
    bool has_next();

private:
    std::string held_;
    std::size_t taken_ = 0, searched_ = 0;
};

/// Lines for the host, collected during a slice.
class Output {
public:
    void line(std::string_view word, std::string_view rest = {});
    std::size_t held() const { return held_.size(); }
    /// Hands all of it over. Ends the process if the host is gone.
    void flush();
    /// True while flush works: what a signal handler writes would fall into the middle of a line.
    bool busy() const { return busy_; }

private:
    std::string held_;
    volatile bool busy_ = false;
};

} // namespace script_box
