// A plugin's library in a test: loaded, opened, its instances driven verb by verb.
#pragma once
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <foxwedge/capability.h>
#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/json.hpp>
#include <foxwedge/provider.h>

#include "host.hpp"

namespace foxwedge::plugin {
/// How Boost.Test shows a value.
inline std::ostream& boost_test_print_type(std::ostream& out, const Value& value) {
    return out << to_text(value);
}
} // namespace foxwedge::plugin

namespace plugin_host {

/// `create` refused.
struct NotCreated : std::runtime_error {
    NotCreated(Outcome what) : std::runtime_error(what.code + ": " + what.message), outcome(what) {}
    Outcome outcome;
};

/// One instance of any kind. Each verb runs in a call of its own, whose writes are committed when
/// it returns ok. Throws std::logic_error where the plugin breaks the contract (no result with ok).
class Instance {
public:
    Instance(Host& host, foxwedge_instance* made) : host_(host), made_(made) {}
    Instance(const Instance&) = delete;
    ~Instance() { made_->destroy(made_); }
    foxwedge_instance* raw() const { return made_; }
    bool concurrent() const { return (made_->flags & FOXWEDGE_CONCURRENT) != 0; }

    Outcome list_tools();
    Outcome run_text(std::string_view tool, std::string_view arguments);
    Outcome run(std::string_view tool, const Value& arguments) {
        return run_text(tool, to_text(arguments));
    }
    Outcome describe();
    Outcome generate(const Value& request);
    Outcome count_tokens(const Value& request);
    std::uint32_t placements() const;
    Outcome check(std::uint32_t placement, const Value& subject);
    Outcome plan(const Value& request);

    /// Told to every call that follows: cancelled after so many events.
    int cancel_after = -1;
    std::int64_t time_left = -1;
    std::string step_key; ///< "" for the usual one

private:
    template <class Verb>
    Outcome drive(Verb&& verb);

    Host& host_;
    foxwedge_instance* made_;
};

class Plugin {
public:
    /// Throws std::runtime_error if it cannot be loaded or opened.
    Plugin(Host& host, const std::string& path);
    ~Plugin();
    Plugin(const Plugin&) = delete;
    const foxwedge_entry& entry() const { return *entry_; }
    const foxwedge_factory* factory(std::string_view id) const;
    /// Throws NotCreated.
    std::unique_ptr<Instance> create(std::string_view id,
                                     const Value& config = foxwedge::plugin::object());

private:
    Host& host_;
    const foxwedge_entry* entry_ = nullptr;
};

} // namespace plugin_host
