// What the script needs to know of a request, found without building its values: a long run sends
// its whole past with every call, and all but the end of it is only skipped.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace scripted {

/// A result that came back since the model last spoke.
struct ToolResult {
    std::string name;
    std::string text; ///< its text blocks, joined
    bool is_error = false;
};

struct Request {
    int turn = 0;                                         ///< answers of the model so far
    std::string user;                                     ///< text of the last user message
    std::vector<ToolResult> results;                      ///< in order
    std::string_view model_json, system_json, tools_json; ///< still JSON; empty where missing
    bool wants_output = false;                            ///< a shape is asked for

    std::string model() const;
    std::string system() const;
    bool offers(std::string_view tool) const;
};

/// `text` is a request that the host made, so one valid JSON object; anything else gives a request
/// with less in it. Borrows `text`.
Request read_request(std::string_view text);

} // namespace scripted
