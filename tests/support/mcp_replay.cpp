// A server that says what a recorded one said:  mcp-replay TRANSCRIPT.jsonl
// Each request is answered with what followed the first unused recorded request of the same method
// and tool, ids put right. Questions of the recorded server to its client are left out.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.hpp"

using namespace foxwedge;

namespace {

struct Exchange {
    std::string what;         ///< method, and the tool's name
    std::vector<Json> before; ///< notifications
    Json answer;
    bool used = false;
};

std::string what_of(const Json& message) {
    const Json* params = member(message, "params");
    const auto name = params ? string_member(*params, "name") : std::nullopt;
    return std::string(string_member(message, "method").value_or("")) + "/" +
           std::string(name.value_or(""));
}

std::vector<Exchange> read_transcript(const char* path) {
    std::vector<Exchange> exchanges;
    std::vector<std::pair<Json, std::size_t>> open; // id → exchange
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto entry = parse_json(line);
        const Json* message = entry ? member(*entry, "msg") : nullptr;
        if (!message) continue;
        const Json* id = member(*message, "id");
        const bool from_client = string_member(*entry, "dir") == "client->server";
        if (from_client && id && member(*message, "method")) {
            open.emplace_back(*id, exchanges.size());
            exchanges.push_back({what_of(*message), {}, nullptr, false});
        } else if (!from_client && id && !member(*message, "method")) {
            for (const auto& [known, index] : open)
                if (known == *id) exchanges[index].answer = *message;
        } else if (!from_client && !id && !exchanges.empty())
            exchanges.back().before.push_back(*message);
    }
    return exchanges;
}

Json renamed(Json message, const Json& id) {
    message.get_object()["id"] = id;
    return message;
}

Json with_token(Json message, const Json& token) {
    Json* params = message.get_object().if_contains("params");
    if (params && params->is_object() && params->get_object().contains("progressToken"))
        params->get_object()["progressToken"] = token;
    return message;
}

void answer(std::vector<Exchange>& exchanges, const Json& request) {
    const Json* id = member(request, "id");
    if (!id) return;
    for (auto& exchange : exchanges) {
        if (exchange.used || exchange.what != what_of(request) || exchange.answer.is_null())
            continue;
        exchange.used = true;
        const Json* token = at_pointer(request, "/params/_meta/progressToken");
        for (const Json& note : exchange.before)
            std::cout << to_text(with_token(note, token ? *token : Json())) << "\n";
        std::cout << to_text(renamed(exchange.answer, *id)) << std::endl;
        return;
    }
    std::cout << to_text(Json{{"jsonrpc", "2.0"},
                              {"id", *id},
                              {"error", {{"code", -32601}, {"message", "not recorded"}}}})
              << std::endl;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    auto exchanges = read_transcript(argv[1]);
    for (std::string line; std::getline(std::cin, line);)
        if (const auto message = parse_json(line)) answer(exchanges, *message);
    return 0;
}
