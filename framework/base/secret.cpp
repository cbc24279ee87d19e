#include "base/secret.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace foxwedge {
namespace {

constexpr std::size_t none = std::string_view::npos;
/// Texts from strangers may be one long run: no look-ahead goes further.
constexpr std::size_t longest_run = 8192;

bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_upper(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
    return is_alnum(c) || c == '_';
}
bool is_url_word(char c) {
    return is_word(c) || c == '-';
}
bool is_token68(char c) {
    return is_url_word(c) || c == '.' || c == '~' || c == '+' || c == '/';
}

/// Tokens that say themselves what they are.
struct Known {
    std::string_view kind;
    std::string_view prefix;
    std::size_t least; ///< characters behind the prefix
    bool (*allowed)(char);
};
constexpr std::array known_tokens{
    Known{"aws_access_key", "AKIA", 16, is_upper},
    Known{"aws_access_key", "ASIA", 16, is_upper},
    Known{"aws_access_key", "ABIA", 16, is_upper},
    Known{"github_token", "ghp_", 36, is_alnum},
    Known{"github_token", "gho_", 36, is_alnum},
    Known{"github_token", "ghu_", 36, is_alnum},
    Known{"github_token", "ghs_", 36, is_alnum},
    Known{"github_token", "ghr_", 36, is_alnum},
    Known{"github_token", "github_pat_", 22, is_word},
    Known{"gitlab_token", "glpat-", 20, is_url_word},
    Known{"slack_token", "xoxb-", 10, is_url_word},
    Known{"slack_token", "xoxp-", 10, is_url_word},
    Known{"slack_token", "xoxa-", 10, is_url_word},
    Known{"slack_token", "xoxs-", 10, is_url_word},
    Known{"slack_token", "xapp-", 10, is_url_word},
    Known{"anthropic_key", "sk-ant-", 20, is_url_word},
    Known{"openai_key", "sk-proj-", 20, is_url_word},
    Known{"openai_key", "sk-", 32, is_alnum},
    Known{"google_api_key", "AIza", 35, is_url_word},
    Known{"google_oauth_token", "ya29.", 20, is_url_word},
    Known{"stripe_key", "sk_live_", 20, is_alnum},
    Known{"stripe_key", "rk_live_", 20, is_alnum},
    Known{"npm_token", "npm_", 36, is_alnum},
    Known{"pypi_token", "pypi-", 50, is_url_word},
    Known{"huggingface_token", "hf_", 30, is_alnum},
    Known{"sendgrid_key", "SG.", 40, is_token68},
    Known{"digitalocean_token", "dop_v1_", 64, is_alnum},
};

std::size_t run(std::string_view text, std::size_t at, bool (*allowed)(char)) {
    auto from = at;
    auto end = std::min(text.size(), at + longest_run);
    while (at < end && allowed(text[at])) ++at;
    return at - from;
}

bool starts_word(std::string_view text, std::size_t at) {
    return at == 0 || !is_word(text[at - 1]);
}

bool matches_lower(std::string_view text, std::size_t at, std::string_view lower) {
    return text.size() - at >= lower.size() && lower_ascii(text.substr(at, lower.size())) == lower;
}

/// Bits a character, by the frequencies in `value` itself.
double entropy(std::string_view value) {
    std::array<int, 256> counts{};
    for (char c : value) ++counts[static_cast<unsigned char>(c)];
    double bits = 0;
    auto size = static_cast<double>(value.size());
    for (int count : counts)
        if (count != 0) bits -= count / size * std::log2(count / size);
    return bits;
}

bool looks_random(std::string_view value) {
    constexpr std::size_t least = 12;
    constexpr double least_bits = 3.0;
    if (value.size() < least || entropy(value) < least_bits) return false;
    bool digit = false;
    bool letter = false;
    for (char c : value) (c >= '0' && c <= '9' ? digit : letter) = true;
    return digit && letter;
}

class Finder {
public:
    explicit Finder(std::string_view text) : text_(text) {}

    std::vector<SecretFinding> find() {
        while (at_ < text_.size()) {
            auto end = at(at_);
            at_ = end == 0 ? at_ + 1 : end;
        }
        return std::move(found_);
    }

private:
    /// Reports what begins at `at` and returns its end, else 0.
    std::size_t at(std::size_t at) {
        if (text_[at] == '-') return pem(at);
        if (text_[at] == ':') return url_password(at);
        if (!is_alnum(text_[at]) || !starts_word(text_, at)) return 0;
        if (auto end = token(at)) return end;
        if (auto end = jwt(at)) return end;
        if (auto end = header(at)) return end;
        return assignment(at);
    }

    std::size_t report(std::string_view kind, std::size_t from, std::size_t to) {
        found_.push_back({std::string(kind), from, to});
        return to;
    }

    std::size_t pem(std::size_t at) {
        constexpr std::string_view begin = "-----BEGIN ";
        if (!text_.substr(at).starts_with(begin)) return 0;
        auto label_end = text_.find("-----", at + begin.size());
        if (label_end == none) return 0;
        auto label = text_.substr(at + begin.size(), label_end - at - begin.size());
        if (label.size() > 40 || !label.ends_with("PRIVATE KEY")) return 0;
        auto close = "-----END " + std::string(label) + "-----";
        auto end = text_.find(close, label_end);
        // A key that was cut off is a secret all the same.
        return report("pem_private_key", at, end == none ? text_.size() : end + close.size());
    }

    /// scheme://user:password@host
    std::size_t url_password(std::size_t at) {
        if (!text_.substr(at).starts_with("://") || at == 0 || !is_alnum(text_[at - 1])) return 0;
        auto from = at + 3;
        auto end = text_.find_first_of("/?# \t\r\n\"'<>", from);
        auto authority = text_.substr(from, std::min(end - from, longest_run));
        auto host = authority.rfind('@');
        if (host == none) return 0;
        auto colon = authority.substr(0, host).find(':');
        if (colon == none || host - colon <= 1) return 0;
        return report("url_password", from + colon + 1, from + host);
    }

    std::size_t token(std::size_t at) {
        for (const auto& known : known_tokens) {
            if (!text_.substr(at).starts_with(known.prefix)) continue;
            auto count = run(text_, at + known.prefix.size(), known.allowed);
            if (count >= known.least)
                return report(known.kind, at, at + known.prefix.size() + count);
        }
        return 0;
    }

    std::size_t jwt(std::size_t at) {
        if (!text_.substr(at).starts_with("eyJ")) return 0;
        auto end = at + run(text_, at, is_url_word);
        if (end - at < 10 || !text_.substr(end).starts_with(".eyJ")) return 0;
        end += 1 + run(text_, end + 1, is_url_word);
        if (end == text_.size() || text_[end] != '.') return 0;
        return report("jwt", at, end + 1 + run(text_, end + 1, is_url_word));
    }

    /// "Bearer …" and "Basic …"
    std::size_t header(std::size_t at) {
        for (std::string_view scheme : {"bearer", "basic"}) {
            auto value = at + scheme.size() + 1;
            if (!matches_lower(text_, at, scheme) || value >= text_.size()) continue;
            if (text_[value - 1] != ' ') continue;
            auto count = run(text_, value, is_token68);
            if (count >= 16 && looks_random(text_.substr(value, count)))
                return report(scheme == "bearer" ? "bearer_header" : "basic_header", value,
                              value + count);
        }
        return 0;
    }

    /// A name that promises a secret, "=" or ":", and a value that looks random.
    std::size_t assignment(std::size_t at) {
        constexpr std::array<std::string_view, 10> promises{
            "password", "passwd",  "secret",     "token",       "api_key",
            "apikey",   "api-key", "access_key", "private_key", "credential"};
        auto name_end = at + run(text_, at, is_url_word);
        auto name = lower_ascii(text_.substr(at, std::min<std::size_t>(name_end - at, 100)));
        bool promised = std::any_of(promises.begin(), promises.end(), [&](auto word) {
            return name.find(word) != std::string::npos;
        });
        if (!promised) return 0;
        auto value = name_end;
        auto skip = [&](std::string_view set) {
            while (value < text_.size() && set.find(text_[value]) != none) ++value;
        };
        if (value < text_.size() && (text_[value] == '"' || text_[value] == '\'')) ++value;
        skip(" \t");
        if (value == text_.size() || (text_[value] != '=' && text_[value] != ':')) return 0;
        skip("=: \t");
        skip("\"'");
        auto rest = text_.substr(value, longest_run);
        auto end = value + std::min(rest.find_first_of(" \t\r\n\"',;<>()[]{}&"), rest.size());
        if (!looks_random(text_.substr(value, end - value))) return 0;
        return report("assignment", value, end);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<SecretFinding> found_;
};

} // namespace

std::vector<SecretFinding> find_secrets(std::string_view text) {
    return Finder(text).find();
}

} // namespace foxwedge
