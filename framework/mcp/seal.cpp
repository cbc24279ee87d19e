#include "mcp/seal.hpp"

#include "base/digest.hpp"
#include "base/id.hpp"
#include "base/text.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::size_t block = 64; // of SHA-256, as RFC 2104 wants it

std::string padded(std::string key, char with) {
    key.resize(block);
    for (char& c : key) c = static_cast<char>(c ^ with);
    return key;
}

} // namespace

bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0; // in constant time
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

Seal::Seal() : Seal(random_bytes(32)) {}

std::string Seal::tag(std::string_view text, std::string_view purpose) const {
    const std::string message =
        std::to_string(purpose.size()) + ":" + std::string(purpose) + std::string(text);
    const Digest inner = sha256(padded(key_, 0x36), message);
    return to_hex(sha256(padded(key_, 0x5c), bytes_of(inner)));
}

std::string Seal::closed(const Json& state, std::string_view purpose) const {
    const std::int64_t at = clock_.now().time_since_epoch().count();
    const std::string text = to_base64(to_text(JsonObject{{"at", at}, {"state", state}}));
    return text + "." + tag(text, purpose);
}

std::optional<Json> Seal::opened(std::string_view text, std::string_view purpose) const {
    const auto dot = text.rfind('.');
    if (dot == text.npos) return std::nullopt;
    if (!same_secret(text.substr(dot + 1), tag(text.substr(0, dot), purpose))) return std::nullopt;
    const auto bytes = from_base64(text.substr(0, dot));
    if (!bytes) return std::nullopt;
    const auto sealed = parse_json(*bytes);
    const auto at = sealed ? integer_member(*sealed, "at") : std::nullopt;
    const Json* state = sealed ? member(*sealed, "state") : nullptr;
    if (!at || !state || clock_.now() - Time(Millis(*at)) > lifetime) return std::nullopt;
    return *state;
}

} // namespace foxwedge::mcp
