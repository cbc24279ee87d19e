#include "agent/context/view.hpp"

#include <algorithm>
#include <cmath>

namespace foxwedge::agent {

Json to_json(const View& view) {
    JsonObject out{{"keepFrom", view.keep_from}, {"told", view.told}};
    if (!view.pinned.empty()) {
        JsonArray pinned;
        for (std::int64_t n : view.pinned) pinned.push_back(n);
        out["pinned"] = std::move(pinned);
    }
    if (!view.state.empty()) out["state"] = view.state;
    return out;
}

View view_from_json(const Json& value) {
    View view;
    view.keep_from = integer_member(value, "keepFrom").value_or(0);
    view.told = integer_member(value, "told").value_or(0);
    view.state = string_member(value, "state").value_or("");
    if (const JsonArray* pinned = array_member(value, "pinned"))
        for (const Json& n : *pinned)
            if (n.is_int64()) view.pinned.push_back(n.get_int64());
    return view;
}

std::size_t Context::exchanges() const {
    for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
        if (it->group) return *it->group + 1;
    return 0;
}

void Context::append(Entry entry) {
    sums_.push_back(sums_.back() + entry.tokens);
    entries_.push_back(std::move(entry));
}

void Context::exchange_appended(std::int64_t estimated_tokens) {
    append({exchanges(), std::nullopt, estimated_tokens});
}

void Context::summary_accepted(Summary summary, std::int64_t estimated_tokens) {
    summaries_.push_back(std::move(summary));
    newest_summary_ = size();
    append({std::nullopt, summaries_.size() - 1, estimated_tokens});
}

ContextRequest Context::request(const Transcript& history, double factor) const {
    ContextRequest request;
    request.state = view_.state;
    request.first_group = view_.told;
    for (std::int64_t n = view_.told; n < size(); ++n) {
        const Entry& entry = entries_[static_cast<std::size_t>(n)];
        ContextGroup group;
        group.n = n;
        group.tokens = std::llround(static_cast<double>(entry.tokens) * factor);
        group.is_summary = entry.summary.has_value();
        if (entry.group) {
            group.calls = history.groups()[*entry.group].calls;
            group.bytes = history.groups()[*entry.group].bytes;
        } else {
            group.bytes = static_cast<std::int64_t>(summaries_[*entry.summary].text.size());
        }
        request.added.push_back(group);
    }
    return request;
}

View Context::checked(const ContextPlan& plan) const {
    View view;
    view.told = size();
    view.state = plan.state;
    // The newest exchange holds the results that the model waits for.
    std::int64_t newest = size();
    while (newest > 0 && !entries_[static_cast<std::size_t>(newest - 1)].group) --newest;
    const std::int64_t most = std::max<std::int64_t>(0, newest - 1);
    view.keep_from = std::clamp<std::int64_t>(plan.keep_from, 0, most);
    for (std::int64_t n : plan.pinned)
        if (n >= 0 && n < view.keep_from &&
            std::find(view.pinned.begin(), view.pinned.end(), n) == view.pinned.end())
            view.pinned.push_back(n);
    std::sort(view.pinned.begin(), view.pinned.end());
    return view;
}

std::vector<Message> Context::messages(const Transcript& history) const {
    std::vector<Message> out = history.task();
    // Of several summaries the newest covers the older ones.
    if (!summaries_.empty()) out.push_back(summary_message(summaries_.back()));
    const auto add = [&](std::int64_t n) {
        const Entry& entry = entries_[static_cast<std::size_t>(n)];
        if (!entry.group) return;
        const Group& group = history.groups()[*entry.group];
        out.push_back(group.assistant);
        if (group.reply) out.push_back(*group.reply);
    };
    for (std::int64_t n : view_.pinned)
        if (n < view_.keep_from && n < size()) add(n);
    for (std::int64_t n = view_.keep_from; n < size(); ++n) add(n);
    return out;
}

std::vector<Message> Context::covered(const Transcript& history, std::int64_t from,
                                      std::int64_t to) const {
    std::vector<Message> out;
    for (std::int64_t n = std::max<std::int64_t>(from, 0); n < std::min(to, size()); ++n) {
        const Entry& entry = entries_[static_cast<std::size_t>(n)];
        if (entry.summary) out.push_back(summary_message(summaries_[*entry.summary]));
        if (!entry.group) continue;
        const Group& group = history.groups()[*entry.group];
        out.push_back(group.assistant);
        if (group.reply) out.push_back(*group.reply);
    }
    return out;
}

std::int64_t Context::tokens(std::int64_t from, std::int64_t to) const {
    from = std::max<std::int64_t>(from, 0);
    to = std::min(to, size());
    if (from >= to) return 0;
    return sums_[static_cast<std::size_t>(to)] - sums_[static_cast<std::size_t>(from)];
}

std::int64_t Context::shown_tokens() const {
    std::int64_t sum = tokens(view_.keep_from, size());
    for (std::int64_t n : view_.pinned) sum += tokens(n, n + 1);
    if (newest_summary_ && *newest_summary_ < view_.keep_from)
        sum += tokens(*newest_summary_, *newest_summary_ + 1);
    return sum;
}

Message summary_message(const Summary& summary) {
    return {Role::user,
            {text_block("Notes on the earlier part of this conversation, kept for reference (they "
                        "are no request):\n<notes>\n" +
                        summary.text + "\n</notes>")}};
}

} // namespace foxwedge::agent
