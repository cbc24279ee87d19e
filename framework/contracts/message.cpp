#include "contracts/message.hpp"

#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_message = "invalid_message";

JsonArray to_json_array(const std::vector<Block>& blocks) {
    JsonArray out;
    out.reserve(blocks.size());
    for (const Block& block : blocks) out.push_back(to_json(block));
    return out;
}

Result<std::vector<Block>> blocks_from_json(const Json& owner, std::string_view key,
                                            std::string_view pointer) {
    const std::string here = pointer_append(pointer, key);
    const JsonArray* array = array_member(owner, key);
    if (!array) return shape_error(invalid_message, here, "must be a list of blocks");
    std::vector<Block> out;
    out.reserve(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
        FOXWEDGE_TRY(block, block_from_json((*array)[i], pointer_append(here, i)));
        out.push_back(std::move(block));
    }
    return out;
}

Status read_tool_call(Block& block, const Json& value, std::string_view pointer) {
    FOXWEDGE_TRY(id, text_or_empty(value, "id", invalid_message, pointer)); // models leave ids out
    FOXWEDGE_TRY(name, text_at(value, "name", invalid_message, pointer));
    FOXWEDGE_TRY(arguments, text_or_empty(value, "arguments", invalid_message, pointer));
    block.type = Block::Type::tool_call;
    block.call_id = std::move(id);
    block.name = std::move(name);
    block.arguments = std::move(arguments);
    return {};
}

Status read_tool_result(Block& block, const Json& value, std::string_view pointer) {
    FOXWEDGE_TRY(id, text_at(value, "callId", invalid_message, pointer));
    FOXWEDGE_TRY(name, text_or_empty(value, "name", invalid_message, pointer));
    FOXWEDGE_TRY(is_error, bool_or(value, "isError", false, invalid_message, pointer));
    FOXWEDGE_TRY(content, blocks_from_json(value, "content", pointer));
    block.type = Block::Type::tool_result;
    block.call_id = std::move(id);
    block.name = std::move(name);
    block.is_error = is_error;
    block.content = std::move(content);
    return {};
}

bool is_mcp_type(std::string_view type) {
    return type == "image" || type == "audio" || type == "resource" || type == "resource_link";
}

} // namespace

Block text_block(std::string text) {
    Block block;
    block.text = std::move(text);
    return block;
}

Json to_json(const Block& block) {
    JsonObject out;
    switch (block.type) {
    case Block::Type::text:
        out["type"] = "text";
        out["text"] = block.text;
        break;
    case Block::Type::reasoning:
        out["type"] = "reasoning";
        out["text"] = block.text;
        break;
    case Block::Type::tool_call:
        out["type"] = "tool_call";
        out["id"] = block.call_id;
        out["name"] = block.name;
        out["arguments"] = block.arguments;
        break;
    case Block::Type::tool_result:
        out["type"] = "tool_result";
        out["callId"] = block.call_id;
        out["name"] = block.name;
        out["isError"] = block.is_error;
        out["content"] = to_json_array(block.content);
        break;
    case Block::Type::other:
        if (block.raw.is_object()) out = block.raw.get_object();
        break;
    }
    if (!block.opaque.is_null()) out["opaque"] = block.opaque;
    return out;
}

Json to_json(const Message& message) {
    static constexpr const char* names[] = {"user", "assistant", "tool"};
    JsonObject out;
    out["role"] = names[static_cast<int>(message.role)];
    out["content"] = to_json_array(message.content);
    return out;
}

Json to_json(const std::vector<Message>& messages) {
    JsonArray out;
    out.reserve(messages.size());
    for (const Message& message : messages) out.push_back(to_json(message));
    return out;
}

Result<Block> block_from_json(const Json& value, std::string_view pointer) {
    if (!value.is_object())
        return shape_error(invalid_message, pointer, "a block must be an object");
    FOXWEDGE_TRY(type, text_at(value, "type", invalid_message, pointer));
    Block block;
    if (type == "text" || type == "reasoning") {
        FOXWEDGE_TRY(text, text_at(value, "text", invalid_message, pointer));
        block.type = type == "text" ? Block::Type::text : Block::Type::reasoning;
        block.text = std::move(text);
    } else if (type == "tool_call") {
        FOXWEDGE_CHECK(read_tool_call(block, value, pointer));
    } else if (type == "tool_result") {
        FOXWEDGE_CHECK(read_tool_result(block, value, pointer));
    } else if (is_mcp_type(type)) {
        block.type = Block::Type::other;
        block.raw = value;
        block.raw.get_object().erase("opaque");
    } else {
        return shape_error(invalid_message, pointer_append(pointer, "type"),
                           "no block type is called \"" + type + "\"");
    }
    if (const Json* opaque = member(value, "opaque"); opaque && !opaque->is_null()) {
        if (!opaque->is_object())
            return shape_error(invalid_message, pointer_append(pointer, "opaque"),
                               "must be an object");
        block.opaque = *opaque;
    }
    return block;
}

Result<Message> message_from_json(const Json& value, std::string_view pointer) {
    if (!value.is_object())
        return shape_error(invalid_message, pointer, "a message must be an object");
    FOXWEDGE_TRY(role, text_at(value, "role", invalid_message, pointer));
    Message message;
    if (role == "user")
        message.role = Role::user;
    else if (role == "assistant")
        message.role = Role::assistant;
    else if (role == "tool")
        message.role = Role::tool;
    else
        return shape_error(invalid_message, pointer_append(pointer, "role"),
                           "must be \"user\", \"assistant\" or \"tool\"");
    FOXWEDGE_TRY(content, blocks_from_json(value, "content", pointer));
    message.content = std::move(content);
    return message;
}

Result<std::vector<Message>> messages_from_json(const Json& value, std::string_view pointer) {
    if (!value.is_array())
        return shape_error(invalid_message, pointer, "must be a list of messages");
    std::vector<Message> out;
    out.reserve(value.get_array().size());
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        FOXWEDGE_TRY(message, message_from_json(value.get_array()[i], pointer_append(pointer, i)));
        out.push_back(std::move(message));
    }
    return out;
}

std::string text_of(const std::vector<Block>& blocks) {
    std::string out;
    for (const Block& block : blocks)
        if (block.type == Block::Type::text) out += block.text;
    return out;
}

} // namespace foxwedge
