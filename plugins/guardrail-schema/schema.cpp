// A recorded verdict on the arguments of a tool, its own or an MCP server's, against the
// inputSchema that it stated. The judging is the host's; a schema is compiled once.
#include <list>
#include <map>
#include <mutex>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

constexpr std::size_t max_compiled = 256; ///< schemas kept ready
constexpr std::size_t max_told = 20;      ///< violations that the message names

std::string told(const Value& violations) {
    std::string out = "The arguments do not fit the tool's inputSchema:";
    std::size_t n = 0;
    for (const Value& violation : violations.array()) {
        if (n++ == max_told) {
            out += "\n- and " + std::to_string(violations.array().size() - max_told) + " more";
            break;
        }
        const auto pointer = violation.string("instancePointer");
        out += "\n- " + (pointer.empty() ? "the whole" : std::string(pointer)) + ": " +
               std::string(violation.string("message"));
    }
    return out;
}

} // namespace

class SchemaGuardrail : public Guardrail {
public:
    static constexpr bool concurrent = true;

    SchemaGuardrail(const Host& host, const Value&)
        : Guardrail(FOXWEDGE_PLACEMENT_TOOL_ARGS), judge_(host.check()) {}

    Value check(std::uint32_t, const Value& subject, Call& call) override {
        const Value* schema = subject.find("inputSchema");
        if (!schema) return object({{"action", "allow"}}); // nothing was promised
        const auto ready = compiled(*schema, call);
        const Value request =
            object({{"instance", subject["arguments"]}, {"handle", ready->handle}});
        const Value answer = judge_.validate(call.raw(), request).value();
        if (answer.boolean("valid", false)) return object({{"action", "allow"}});
        const Value& violations = answer["violations"];
        return object(
            {{"action", "deny"}, {"message", told(violations)}, {"violations", violations}});
    }

private:
    /// A schema that the host has compiled; given back when nobody uses it any more.
    struct Compiled {
        Check judge;
        Value handle;
        ~Compiled() {
            try {
                judge.release(nullptr, handle);
            } catch (...) { // the host frees it when the plugin is closed
            }
        }
    };

    /// Throws Failure where it cannot be compiled: a deny.
    std::shared_ptr<const Compiled> compiled(const Value& schema, const Call& call) {
        std::string text = to_text(schema);
        const std::lock_guard lock(mutex_);
        if (const auto found = ready_.find(text); found != ready_.end()) return found->second;
        const Value answer = judge_.compile(call.raw(), object({{"schema", schema}})).value();
        // Shared, because a call on another thread may still use the one that is put out.
        auto made = std::shared_ptr<const Compiled>(new Compiled{judge_, answer["handle"]});
        ready_.emplace(text, made);
        order_.push_back(std::move(text));
        if (order_.size() > max_compiled) {
            ready_.erase(order_.front());
            order_.pop_front();
        }
        return made;
    }

    const Check judge_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Compiled>> ready_; ///< by the schema's text
    std::list<std::string> order_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<SchemaGuardrail>("schema"));
