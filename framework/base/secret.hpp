// Secrets: found in text, and kept out of everything that is written down.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace foxwedge {

/// A place in a text that looks like a credential; byte offsets [from, to).
struct SecretFinding {
    std::string
        kind; ///< "pem_private_key", "aws_access_key", "github_token", "jwt", "bearer_header", …
    std::size_t from = 0;
    std::size_t to = 0;
};
/// What looks like a credential in `text`: PEM keys, cloud and forge tokens, JWTs, bearer headers,
/// assignments with high entropy. In order, not overlapping. Any thread.
std::vector<SecretFinding> find_secrets(std::string_view text);

/// Replaces known secret values, and their base64 and URL-encoded forms, by `[redacted:name]`.
/// Built once, immutable, any thread.
class Masker {
public:
    struct Known {
        std::string name;
        std::string value;
    };
    Masker() = default;
    /// Values shorter than 8 characters are not masked: they would garble ordinary text.
    explicit Masker(std::vector<Known>);
    std::string masked(std::string_view text) const;
    /// True if `text` holds a known value.
    bool holds_secret(std::string_view text) const;

private:
    std::vector<Known> needles_;
};

} // namespace foxwedge
