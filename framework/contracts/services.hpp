// What a call may ask of the host while it runs: Store, Children, Waits. Implemented over the run
// engine (agent layer), reached by plugins through the ABI's services.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace foxwedge {

struct StoreOp {
    enum class Kind : std::uint8_t { get, put, remove, add, scan, changes };
    Kind kind = Kind::get;
    std::string scope; ///< "project", "conversation", "user"
    std::string key;
    std::string prefix, after; ///< scan
    std::uint64_t since = 0;   ///< changes
    int limit = 50;
    std::string value_json; ///< put
    std::string by_json;    ///< add
    std::optional<std::uint64_t> expect;
};
struct StoreItemView {
    std::string key, value_json;
    std::uint64_t revision = 0;
    bool removed = false;
};
struct StoreAnswer {
    bool found = false;
    std::string value_json;
    std::uint64_t revision = 0;
    std::vector<StoreItemView> items;
    std::string next; ///< `after` of the next page, or ""
};

/// One call's view of the store: committed data plus the call's own writes of this attempt. Writes
/// commit with the step's outcome or not at all. Errors: `conflict`, `input_validation`,
/// `read_only`, `cancelled` once the call is over.
class Store {
public:
    virtual ~Store() = default;
    virtual Result<std::vector<StoreAnswer>> apply(std::string_view name_space,
                                                   std::span<const StoreOp>) = 0;
    /// A private folder of that namespace for derived files.
    virtual Result<std::string> folder(std::string_view name_space) = 0;
};

/// Child runs of the run that a call belongs to. Requests and answers as in docs/plugins.
class Children {
public:
    virtual ~Children() = default;
    virtual Result<Json> start(const Json& request) = 0; ///< {"ticket"}
    /// The next ended child in the order of the ends; error `parked` when every open one waits.
    virtual Result<Json> next() = 0;
    virtual Status cancel(const Json& request) = 0;
};

class Questions;

class Waits {
public:
    virtual ~Waits() = default;
    /// For waiting on people and models; null where this call may not ask.
    virtual Questions* questions() { return nullptr; }
    /// {"until"} | {"signal"} → {"fired", "value"?}, at once; false registers the wait.
    virtual Result<Json> wait_for(const Json& request) = 0;
};

} // namespace foxwedge
