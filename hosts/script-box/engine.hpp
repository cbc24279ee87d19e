// One script in one JavaScript context, and the hooks that lead out of it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <JavaScriptCore/JavaScript.h>

#include "line.hpp"

namespace script_box {

/// What a script may use up. A field that the host leaves out keeps its default.
struct Limits {
    std::uint64_t memory_bytes = 256u << 20;
    std::uint64_t cpu_seconds = 600;      ///< of the whole process
    std::uint64_t first_slice_ms = 5'000; ///< CPU before the script waits for the first time
    std::uint64_t slice_ms = 5'000;       ///< CPU between two waits after that
    std::uint64_t agents = 1'000;         ///< agent() and workflow() together
    std::uint64_t items = 4'096;          ///< of one parallel() or pipeline()
    std::uint64_t request_bytes = 4u << 20;
    std::uint64_t result_bytes = 4u << 20;
    bool check_only = false;          ///< compile, and be done
    std::uint64_t log_lines = 10'000; ///< log() and phase(); what comes after is dropped
};

/// One thread. Every function that runs the script's code is a slice: it returns once nothing is
/// left that the script could do by itself.
class Engine {
public:
    explicit Engine(Output& out);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Reads the host's first line: {"source", "args", "limits", "seed", "now"}. False if it is
    /// none.
    bool read_start(const std::string& json);
    const Limits& limits() const { return limits_; }

    void run();
    /// Settles what was asked under `id`, or nothing: of answers that were sent ahead to a script
    /// that asks otherwise than on record, some find no request. False for what is no JSON.
    bool answer(std::uint64_t id, const std::string& json);
    /// What is left of the budget, from here on.
    void spend(const std::string& json);

    bool ended() const { return ended_; }
    bool waits_for_something() const { return !open_.empty(); }

    /// Reports the end of the script and ends the process.
    [[noreturn]] void fatal(std::string_view code, std::string_view message);

private:
    using Arguments = const JSValueRef*;
    using Hook = JSValueRef (Engine::*)(Arguments, std::size_t);

    template <Hook hook>
    static JSValueRef call(JSContextRef, JSObjectRef, JSObjectRef, std::size_t count,
                           Arguments arguments, JSValueRef*);
    template <Hook hook>
    JSObjectRef function(const char* name);

    JSValueRef ask(Arguments, std::size_t);
    JSValueRef tell(Arguments, std::size_t);
    JSValueRef stop(Arguments, std::size_t);
    JSValueRef finish(Arguments, std::size_t);
    JSValueRef fail(Arguments, std::size_t);

    void warm_up();
    JSValueRef evaluate(std::string_view source);
    JSValueRef member(JSObjectRef, const char* name);
    std::string text(JSValueRef);
    JSObjectRef start_values(JSObjectRef start);
    void after_slice();

    static Engine* the_one; ///< callbacks of the C API carry no data
    Output& out_;
    Limits limits_;
    JSGlobalContextRef context_;
    JSObjectRef script_ = nullptr; ///< what the prelude returned
    JSStringRef source_ = nullptr;
    std::map<std::uint64_t, JSObjectRef> open_; ///< resolving functions of what was asked
    std::uint64_t asked_ = 0, told_ = 0;
    bool ended_ = false;
};

} // namespace script_box
