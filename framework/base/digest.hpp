// SHA-256, the one digest of journal, lists and files.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace foxwedge {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
/// SHA-256 over `first` followed by `second`, without joining them.
Digest sha256(std::string_view first, std::string_view second);
std::string to_hex(const Digest&);
std::string to_hex(std::string_view bytes);
inline std::string_view bytes_of(const Digest& d) {
    return {reinterpret_cast<const char*>(d.data()), d.size()};
}

/// A digest taken piece by piece, for files and streams.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void update(std::string_view bytes);
    Digest finish(); ///< once

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace foxwedge
