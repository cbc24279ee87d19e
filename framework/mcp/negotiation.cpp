#include "mcp/negotiation.hpp"

#include <algorithm>

namespace foxwedge::mcp {

Era era_of(std::string_view version) {
    return version >= modern_version ? Era::modern : Era::handshake;
}
bool is_known_version(std::string_view version) {
    return version == modern_version ||
           std::find(std::begin(handshake_versions), std::end(handshake_versions), version) !=
               std::end(handshake_versions);
}

namespace {

std::string info_of(const ClientFace& face) {
    return R"({"name":)" + quoted(face.name) + R"(,"version":)" + quoted(face.version) + "}";
}

std::string text_member(const Json& object, std::string_view key) {
    return std::string(string_member(object, key).value_or(""));
}

Json object_or(const Json& object, std::string_view key, Json otherwise) {
    const Json* found = member(object, key);
    return found && found->is_object() ? *found : otherwise;
}

} // namespace

std::string modern_meta(const ClientFace& face, std::string_view version) {
    return R"("io.modelcontextprotocol/protocolVersion":)" + quoted(version) +
           R"(,"io.modelcontextprotocol/clientInfo":)" + info_of(face) +
           R"(,"io.modelcontextprotocol/clientCapabilities":)" + to_text(Json(face.capabilities));
}

Negotiation::Negotiation(ClientFace face, std::optional<Era> remembered, bool restart)
    : face_(std::move(face)), remembered_(remembered), may_restart_(restart) {}

Negotiation::Step Negotiation::start() {
    return remembered_ == Era::handshake ? initialize() : discover();
}

Negotiation::Step Negotiation::discover() {
    probing_ = true;
    ++discovers_;
    Step step{Step::What::send, "server/discover", {}, {}};
    step.params = R"({"_meta":{)" + modern_meta(face_, modern_version) + "}}";
    return step;
}

Negotiation::Step Negotiation::initialize(bool restart) {
    probing_ = false;
    ++initializes_;
    Step step{restart ? Step::What::restart_then_send : Step::What::send, "initialize", {}, {}};
    step.params = R"({"protocolVersion":)" + quoted(offered_) + R"(,"capabilities":)" +
                  to_text(Json(face_.capabilities)) + R"(,"clientInfo":)" + info_of(face_) + "}";
    return step;
}

Negotiation::Step Negotiation::fail(std::string message) const {
    return {Step::What::failed, {}, {}, permanent("unsupported_version", std::move(message))};
}

Negotiation::Step Negotiation::on_result(Json result) {
    return probing_ ? take_discovery(std::move(result)) : take_initialized(std::move(result));
}

Negotiation::Step Negotiation::take_discovery(Json result) {
    const JsonArray* supported = array_member(result, "supportedVersions");
    // An older server that answers anything with something.
    if (!supported) return initialize();
    const bool ours = std::any_of(supported->begin(), supported->end(), [](const Json& each) {
        return each.is_string() && view(each.get_string()) == modern_version;
    });
    if (!ours) return choose(*supported);
    session_.era = Era::modern;
    session_.version = modern_version;
    session_.capabilities = object_or(result, "capabilities", JsonObject());
    session_.instructions = text_member(result, "instructions");
    if (const Json* meta = member(result, "_meta"))
        session_.server_info = object_or(*meta, "io.modelcontextprotocol/serverInfo", {});
    return {Step::What::done, {}, {}, {}};
}

Negotiation::Step Negotiation::choose(const JsonArray& supported) {
    const auto has = [&](std::string_view version) {
        return std::any_of(supported.begin(), supported.end(), [&](const Json& each) {
            return each.is_string() && view(each.get_string()) == version;
        });
    };
    if (has(modern_version) && discovers_ < 2) return discover();
    for (const auto version : handshake_versions) {
        if (!has(version) || initializes_ > 1) continue;
        offered_ = version;
        return initialize();
    }
    return fail("the server speaks only revisions that we do not: " + to_text(Json(supported)));
}

Negotiation::Step Negotiation::take_initialized(Json result) {
    const std::string version = text_member(result, "protocolVersion");
    if (!is_known_version(version) || era_of(version) != Era::handshake)
        return fail("the server wants protocol version \"" + version + "\", which we do not speak");
    session_.era = Era::handshake;
    session_.version = version;
    session_.capabilities = object_or(result, "capabilities", JsonObject());
    session_.server_info = object_or(result, "serverInfo", {});
    session_.instructions = text_member(result, "instructions");
    return {Step::What::done, {}, {}, {}};
}

Negotiation::Step Negotiation::on_error(const RpcError& error) {
    const JsonArray* supported = array_member(error.data, "supported");
    if (probing_) {
        if (error.code == rpc::unsupported_version && supported) return choose(*supported);
        return initialize();
    }
    if (supported && initializes_ < 2) return choose(*supported);
    return {Step::What::failed,
            {},
            {},
            not_done("handshake_failed", "the server refused the handshake: " + error.message +
                                             " (" + std::to_string(error.code) + ")")};
}

Negotiation::Step Negotiation::on_silence() {
    if (probing_) return initialize();
    return {Step::What::failed,
            {},
            {},
            not_done("start_timeout", "the server did not answer the handshake in time")};
}

Negotiation::Step Negotiation::on_death(const Error& why) {
    if (probing_ && may_restart_) {
        may_restart_ = false;
        return initialize(true);
    }
    return {Step::What::failed, {}, {}, why};
}

} // namespace foxwedge::mcp
