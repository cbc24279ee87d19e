// What lies in the folders, now and when it is looked at again.
#include <algorithm>

#include "plugin/registry_state.hpp"
#include "plugin/search.hpp"

namespace foxwedge::plugin {

Status Registry::State::read_lock_file() {
    if (options.lock_file.empty()) return {};
    FOXWEDGE_TRY(read, read_lock(options.lock_file));
    std::lock_guard held(mutex);
    lock = std::move(read);
    return {};
}

std::vector<std::string> Registry::State::look() {
    auto found = list(options.folders, false);
    std::lock_guard held(mutex);
    if (lock) lock->judge(found);
    std::vector<Known> fresh;
    for (const auto& candidate : candidates(options.folders)) {
        const auto path = candidate.path();
        const auto row =
            std::find_if(found.begin(), found.end(), [&](const Row& r) { return r.path == path; });
        if (row != found.end() && row->shadowed_by.empty())
            fresh.push_back(
                {*row, candidate.folder, candidate.name, nullptr, nullptr, row->stamp, {}});
    }
    rows = std::move(found);
    return take_over(std::move(fresh));
}

/// A file in the place of a plugin that is in use is opened at once: a bad one changes nothing.
Status Registry::State::opened_in_place_of(Known& now, const Known& before) {
    if (now.row.refusal) return *now.row.refusal;
    if (before.boxed)
        FOXWEDGE_CHECK(boxed(now));
    else
        FOXWEDGE_CHECK(opened(now));
    return {};
}

void Registry::State::refuse(const std::string& path, const Error& why) {
    for (auto& row : rows)
        if (row.path == path) row.refusal = why;
}

std::vector<std::string> Registry::State::take_over(std::vector<Known> fresh) {
    std::vector<std::string> changed;
    for (auto& now : fresh) {
        const auto before = std::find_if(plugins.begin(), plugins.end(),
                                         [&](const Known& k) { return k.row.id == now.row.id; });
        const bool is_new = before == plugins.end();
        const bool same = !is_new && before->row.path == now.row.path && before->seen == now.seen;
        if (!same) changed.push_back(now.row.id);
        if (!same && !is_new && before->in_use()) {
            before->seen = now.seen;
            before->successor.reset();
            if (auto fit = opened_in_place_of(now, *before); !fit) {
                before->successor = fit.error();
                if (runtime.lent.log)
                    runtime.lent.log->warn("plugin",
                                           "a new file is not used, the loaded one goes on",
                                           {{"id", now.row.id}, {"why", fit.error().message}});
            }
        }
        if (same || (!is_new && before->successor)) now = std::move(*before);
        if (now.successor) refuse(now.row.path, *now.successor);
        if (!is_new) plugins.erase(before);
    }
    for (const auto& gone : plugins) changed.push_back(gone.row.id);
    plugins = std::move(fresh);
    asked.clear();
    // Instances of replaced builds live on with those who hold them, and serve nobody new.
    std::erase_if(endpoints, [&](const auto& entry) {
        return std::none_of(plugins.begin(), plugins.end(), [&](const Known& known) {
            return entry.second.build == known.opened.get() ||
                   entry.second.build == known.boxed.get();
        });
    });
    std::sort(changed.begin(), changed.end());
    return changed;
}

} // namespace foxwedge::plugin
