#define BOOST_DLL_USE_STD_FS
#include "plugin/library.hpp"

#include <boost/dll/shared_library.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

struct Process {
    std::mutex mutex;
    std::set<std::string> claimed;
    std::map<std::string, Digest> strays; // plugin id → the one build that may be mapped
    std::map<std::string, std::unique_ptr<boost::dll::shared_library>> mapped;
};
Process& process() {
    // Never destroyed: libraries stay mapped while static destructors of plugins run.
    static auto& it = *new Process;
    return it;
}

/// What the loader said, without the errno that Boost adds and that means nothing.
std::string loaders_words(std::string text) {
    constexpr std::string_view mark = "dlerror system message: ";
    if (const auto at = text.find(mark); at != std::string::npos) text.erase(0, at + mark.size());
    if (const auto end = text.rfind("): "); end != std::string::npos) text.erase(end);
    if (const auto end = text.rfind(" [generic:"); end != std::string::npos) {
        text.erase(end);
        if (const auto colon = text.rfind(": "); colon != std::string::npos) text.erase(colon);
    }
    while (!text.empty() && (text.back() == ')' || text.back() == ' ')) text.pop_back();
    return text;
}

} // namespace

Claim claim(std::string path) {
    std::lock_guard lock(process().mutex);
    Claim made;
    if (process().claimed.insert(path).second) made.path_ = std::move(path);
    return made;
}
Claim::~Claim() {
    if (path_.empty()) return;
    std::lock_guard lock(process().mutex);
    process().claimed.erase(path_);
}
Claim::Claim(Claim&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
}
Claim& Claim::operator=(Claim&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}
void Claim::keep() {
    path_.clear();
}

Status admit_stray(const std::string& id, const Digest& digest, std::string_view symbol) {
    std::lock_guard lock(process().mutex);
    const auto [it, is_new] = process().strays.emplace(id, digest);
    if (is_new || it->second == digest) return {};
    return refusal("needs_restart",
                   "another version of it is loaded in this process, and both define the symbol " +
                       std::string(symbol),
                   "restart the host, use \"isolation\": \"process\", or build the plugin so that "
                   "it exports its entry alone (plugin.map)");
}

Result<const foxwedge_entry*> map_library(const Claim& claimed) {
    std::lock_guard lock(process().mutex);
    auto& library = process().mapped[claimed.path()];
    try {
        using Mode = boost::dll::load_mode::type;
        if (!library)
            library = std::make_unique<boost::dll::shared_library>(
                claimed.path(),
                Mode(boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local));
        return &library->get<const foxwedge_entry>(FOXWEDGE_ENTRY_SYMBOL);
    } catch (const std::exception& e) {
        process().mapped.erase(claimed.path());
        return refusal("not_loadable", "it cannot be loaded: " + loaders_words(e.what()),
                       "install what it needs, or build it for this system");
    } catch (...) {
        return refusal("not_loadable", "its start-up code threw something that is no exception",
                       "mend the plugin: constructors of static objects must not throw");
    }
}

} // namespace foxwedge::plugin
