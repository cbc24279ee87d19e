// Who does what plugins ask of the host: the run and the client of this process, or, inside a box,
// the host at the other end of its pipes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "contracts/call.hpp"
#include "http/client.hpp"
#include "plugin/lent.hpp"
#include "plugin/script.hpp"

namespace foxwedge::plugin {

/// What a call asks of its run.
enum class Ask : std::uint8_t {
    store_apply,
    store_folder,
    agents_start,
    agents_next,
    agents_cancel,
    wait_for,
    script_start,
    script_next,
    script_answer,
    script_kill,
};

struct Asked {
    Ask what;
    std::string_view request; ///< JSON, or "" where the function takes none
    Call& call;
    std::unique_ptr<Script>& script; ///< of this call, if one runs
};

/// A request over HTTP. `head` gets {"status", "headers"} as JSON text.
struct Sending {
    std::string_view request;
    std::shared_ptr<const http::Caller> access; ///< null: what everybody may reach, no secrets
    Until until;
    std::function<Status(std::string_view)> head, chunk;
};

/// Any thread; the functions of one call come one at a time.
class Backend {
public:
    virtual ~Backend() = default;
    /// The answer as text; "" where there is none.
    virtual Result<std::string> ask(const Asked&) = 0;
    virtual Status send(const Sending&) = 0;
    virtual bool has_http() const = 0;
    /// `text` is valid UTF-8, secrets not yet masked.
    virtual void log(LogLevel, std::string_view text) = 0;
};

/// The backend of this process for one plugin.
std::unique_ptr<Backend> make_local_backend(std::string plugin_id, const Lent&,
                                            std::shared_ptr<const Masking>);

/// {"ops"} → {"results"} on the store of the call, in the plugin's namespace.
Result<std::string> apply_to_store(std::string_view plugin_id, Call&, std::string_view request);
/// The request as a JSON object, or `invalid_request`.
Result<Json> request_json(std::string_view);

} // namespace foxwedge::plugin
