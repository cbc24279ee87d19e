#include "agent/transcript.hpp"

#include "base/json.hpp"

namespace foxwedge::agent {
namespace {

void update_sized(Sha256& digest, std::string_view bytes) {
    // The length goes first, so that no two lists of texts look the same when joined.
    unsigned char size[8];
    for (int i = 0; i < 8; ++i)
        size[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i));
    digest.update({reinterpret_cast<const char*>(size), sizeof size});
    digest.update(bytes);
}

bool same_family(std::string_view recorded, std::string_view asked) {
    return recorded.empty() || asked.starts_with(recorded) || recorded.starts_with(asked);
}

void strip(std::vector<Block>& blocks, std::string_view format, std::string_view model) {
    for (Block& block : blocks) {
        if (!block.opaque.is_null() &&
            (string_member(block.opaque, "format").value_or("") != format ||
             !same_family(string_member(block.opaque, "model").value_or(""), model)))
            block.opaque = nullptr;
        strip(block.content, format, model);
    }
}

} // namespace

Transcript::Transcript(std::vector<Message> task) : task_(std::move(task)) {
    digest_ = sha256("foxwedge/transcript/" + std::to_string(derivation_version) + "\n",
                     canonical_text(to_json(task_)));
}

void Transcript::append(Group group, const std::vector<std::string_view>& recorded) {
    Sha256 next;
    next.update(bytes_of(digest_));
    group.bytes = 0;
    for (std::string_view text : recorded) {
        update_sized(next, text);
        group.bytes += static_cast<std::int64_t>(text.size());
    }
    digest_ = next.finish();
    groups_.push_back(std::move(group));
}

void strip_foreign_opaque(Message& message, std::string_view transcript_format,
                          std::string_view model) {
    strip(message.content, transcript_format, model);
}

} // namespace foxwedge::agent
