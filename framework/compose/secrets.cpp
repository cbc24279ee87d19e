#include "compose/secrets.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/file.hpp"
#include "config/substitute.hpp"
#include "http/url.hpp"

namespace foxwedge::compose {
namespace {

constexpr std::size_t most_bytes = 1 << 20; ///< of a file that holds one secret

std::string without_last_newline(std::string text) {
    if (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty() && text.back() == '\r') text.pop_back();
    return text;
}

/// One word for a POSIX shell.
std::string shell_word(const std::string& word) {
    std::string out = "'";
    for (const char c : word)
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    return out + '\'';
}

Result<std::string> output_of(const std::vector<std::string>& command, const std::string& name) {
    std::string line;
    for (const auto& word : command) line += shell_word(word) + ' ';
    std::FILE* pipe = ::popen(line.c_str(), "re");
    if (!pipe)
        return permanent("unset_secret", "the command of secret " + name + " cannot be started");
    std::string text;
    std::array<char, 4096> part;
    while (const auto got = std::fread(part.data(), 1, part.size(), pipe))
        text.append(part.data(), got);
    if (::pclose(pipe) != 0)
        return permanent("unset_secret", "the command of secret " + name + " failed");
    return without_last_newline(std::move(text));
}

std::optional<std::string> environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

} // namespace

Result<std::string> Secrets::resolve(const std::string& name) const {
    const auto found = sources_.find(name);
    if (found == sources_.end() || !found->second.env.empty()) {
        const auto& variable = found == sources_.end() ? name : found->second.env;
        auto value = environment(variable);
        if (value && !value->empty()) return *value;
        return permanent("unset_secret", "secret " + name + ": the environment variable " +
                                             variable +
                                             " is not set; set it, or define the secret under "
                                             "`secrets` in the config");
    }
    const auto& source = found->second;
    if (!source.command.empty()) return output_of(source.command, name);
    auto text = read_regular_file(source.file, most_bytes);
    if (!text) return permanent("unset_secret", "secret " + name + ": " + text.error().message);
    return without_last_newline(*std::move(text));
}

Result<std::string> Secrets::value(const std::string& name) {
    {
        std::shared_lock lock(mutex_);
        if (const auto found = known_.find(name); found != known_.end()) return found->second;
    }
    FOXWEDGE_TRY(value, resolve(name));
    learn(name, value);
    return value;
}

void Secrets::learn(const std::string& name, const std::string& value) {
    std::unique_lock lock(mutex_);
    auto& known = known_[name];
    if (known == value) return;
    known = value;
    std::vector<Masker::Known> all;
    for (const auto& [each, text] : known_) all.push_back({each, text});
    masker_ = std::make_shared<Masker>(std::move(all));
}

std::vector<std::string> Secrets::origins(const std::string& name) const {
    std::vector<std::string> origins;
    if (const auto found = sources_.find(name); found != sources_.end())
        for (const auto& text : found->second.origins)
            if (auto origin = http::origin_of(text)) origins.push_back(std::move(*origin));
    return origins;
}

Status Secrets::check_origin(const std::string& name, std::string_view origin) const {
    if (origin.empty() || !sources_.contains(name)) return {};
    const auto allowed = origins(name);
    if (std::find(allowed.begin(), allowed.end(), origin) != allowed.end()) return {};
    return permanent("secret_origin", "the secret " + name + " may not be sent to " +
                                          std::string(origin) +
                                          "; add that origin to the secret's \"origins\" if you "
                                          "trust it");
}

Result<std::string> Secrets::filled(std::string_view text, std::string_view origin) {
    return config::resolve_reference(text, environment,
                                     [&](std::string_view name) -> Result<std::string> {
                                         const std::string wanted(name);
                                         FOXWEDGE_CHECK(check_origin(wanted, origin));
                                         return value(wanted);
                                     });
}

std::string Secrets::masked(std::string_view text) const {
    std::shared_ptr<const Masker> masker;
    {
        std::shared_lock lock(mutex_);
        if (known_.empty()) return std::string(text);
        masker = masker_;
    }
    return masker->masked(text);
}

bool Secrets::any() const {
    std::shared_lock lock(mutex_);
    return !known_.empty();
}

} // namespace foxwedge::compose
