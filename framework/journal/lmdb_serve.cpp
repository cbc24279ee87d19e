#include <algorithm>

#include "journal/bytes.hpp"
#include "journal/lmdb_process.hpp"
#include "journal/rules.hpp"
#include "journal/workers.hpp"

namespace foxwedge::journal {
namespace {
using std::chrono::steady_clock;
/// Claims at most this often, so that one transaction takes all that has come.
constexpr Millis gather{5};
constexpr std::chrono::seconds first_pause{5}, longest_pause{600};
/// How long others wait for a run that keeps ending hosts to prove itself.
constexpr std::chrono::seconds alone_at_most{10};
} // namespace

bool serves(const std::string& host, const std::vector<std::string>& workflows,
            std::string_view wanted_host, std::string_view wanted_workflow) {
    return host == wanted_host &&
           (workflows.empty() || wanted_workflow.empty() ||
            std::find(workflows.begin(), workflows.end(), wanted_workflow) != workflows.end());
}

bool LmdbEngine::served(std::string_view host, std::string_view workflow) {
    {
        const std::lock_guard lock(serve_mutex_);
        if (serving_ && serves(serving_->host, serving_->workflows, host, workflow)) return true;
    }
    const auto living = core_->owners().living();
    return std::any_of(living.begin(), living.end(), [&](const OwnerInfo& o) {
        return o.serves && serves(o.serves_host, o.serves_workflows, host, workflow);
    });
}

bool LmdbEngine::wanted(Txn& txn, const ServeOptions& options, std::string_view packed) {
    const auto row = txn.get(Table::run, packed);
    const auto run = row ? decode_run(*row, nullptr) : std::nullopt;
    if (!run || !serves(options.host, options.workflows, run->host, run->workflow)) return false;
    if (options.only_root.empty()) return true;
    return (run->root.empty() ? unpacked_id(packed) : run->root) == options.only_root;
}

std::vector<LmdbEngine::Claimed> LmdbEngine::claim_ready(const ServeOptions& options,
                                                         std::size_t room) {
    // Chosen in a read transaction, so that an idle look costs no commit; then taken by
    // compare-and-set.
    std::vector<std::string> candidates;
    const bool idle = core_->held() == 0;
    {
        Txn txn = core_->read();
        const std::string ready(1, static_cast<char>(RunStatus::ready));
        Cursor cursor(txn, Table::status);
        for (bool more = cursor.seek(ready); more && cursor.key().substr(0, 1) == ready;
             more = cursor.next()) {
            if (candidates.size() >= room) break;
            const std::string packed(cursor.key().substr(1));
            const auto row = txn.get(Table::live, packed);
            const auto live = row ? decode_live(*row) : std::nullopt;
            if (!live || !wanted(txn, options, packed)) continue;
            {
                const std::lock_guard lock(serve_mutex_);
                const auto aside = set_aside_.find(packed);
                if (aside != set_aside_.end() && aside->second.updated == live->updated &&
                    steady_clock::now() < aside->second.until)
                    continue;
            }
            // A run that keeps ending hosts is tried by itself, so that its deaths are its own.
            const bool suspect = live->unclean >= deaths_to_suspect;
            if (suspect && !(idle && candidates.empty())) continue;
            candidates.push_back(packed);
            if (suspect) break;
        }
    }
    std::vector<Claimed> claimed;
    if (candidates.empty()) return claimed;
    const int error = core_->write(
        [&](Transitions& t, WriteScope&) {
            claimed.clear();
            for (const auto& packed : candidates) {
                auto row = t.live(packed);
                if (!row || row->status != RunStatus::ready) continue;
                if (!row->owner.empty() && core_->alive(row->owner)) continue;
                claimed.push_back({packed, take(t, packed, *std::move(row))});
            }
        },
        256 * candidates.size(), true);
    if (error != 0) claimed.clear();
    return claimed;
}

void LmdbEngine::run_claimed(const Claimed& claimed,
                             const std::function<void(std::unique_ptr<Activation>)>& execute) {
    auto held = core_->hold(claimed.packed, claimed.live.epoch);
    std::optional<LoadedRun> loaded;
    {
        Txn txn = core_->read();
        loaded = load_run(txn, claimed.packed, Load::all);
    }
    if (!loaded || loaded->damage) {
        const Error why = loaded ? damage_error(loaded->head.id, *loaded->damage)
                                 : no_such_run(unpacked_id(claimed.packed));
        core_->log().error("journal", "a run cannot be read",
                           {{"run", unpacked_id(claimed.packed)}, {"code", why.code}});
        core_->write(
            [&](Transitions& t, WriteScope&) {
                auto row = t.live(claimed.packed);
                if (!row || row->epoch != claimed.live.epoch) return;
                row->status = RunStatus::stuck;
                row->reason = why.message;
                row->owner.clear();
                t.put(claimed.packed, *row, RunStatus::running);
            },
            512, true);
        core_->let_go(held);
        return;
    }
    execute(make_lmdb_activation(core_, held, std::move(loaded->head), std::move(loaded->entries),
                                 claimed.live));

    // Given up as ready without anything new: tried again later, and later each time.
    Txn txn = core_->read();
    const auto row = txn.get(Table::live, claimed.packed);
    const auto live = row ? decode_live(*row) : std::nullopt;
    const std::lock_guard lock(serve_mutex_);
    if (live && held->given_up && live->status == RunStatus::ready &&
        live->newest == claimed.live.newest) {
        auto& aside = set_aside_[claimed.packed];
        const auto pause = std::min<steady_clock::duration>(
            first_pause * (1 << std::min(aside.times, 10)), longest_pause);
        ++aside.times;
        aside.updated = live->updated;
        aside.until = steady_clock::now() + pause;
    } else {
        set_aside_.erase(claimed.packed);
    }
}

void LmdbEngine::serve(const ServeOptions& options,
                       std::function<void(std::unique_ptr<Activation>)> execute,
                       std::stop_token stop) {
    core_->watch();
    core_->owners().publish(&options);
    {
        const std::lock_guard lock(serve_mutex_);
        serving_ = options;
    }
    std::atomic<std::size_t> active{0};
    std::atomic<bool> suspect{false};
    {
        Workers workers;
        auto next_claim = steady_clock::now();
        steady_clock::time_point suspect_since{};
        while (!stop.stop_requested() && !core_->abandoned) {
            const std::uint64_t seen = core_->generation();
            core_->settle(true);
            const auto slots = static_cast<std::size_t>(std::max(options.slots, 0));
            const std::size_t room = slots - std::min(slots, active.load());
            const bool one_alone = suspect && steady_clock::now() < suspect_since + alone_at_most;
            std::vector<Claimed> claimed;
            if (room > 0 && !one_alone) claimed = claim_ready(options, room);
            for (auto& c : claimed) {
                ++active;
                const bool is_suspect = c.live.unclean >= deaths_to_suspect;
                if (is_suspect) {
                    suspect = true;
                    suspect_since = steady_clock::now();
                }
                workers.start(
                    [this, &execute, &active, &suspect, slots, is_suspect, c = std::move(c)] {
                        run_claimed(c, execute);
                        if (is_suspect) suspect = false;
                        // What had no room, or has to be alone, is ready since before.
                        if (active-- >= slots || is_suspect || core_->held() == 0)
                            core_->some_ready();
                    });
            }
            if (!claimed.empty()) {
                next_claim = steady_clock::now() + gather;
                continue;
            }
            core_->await_ready(seen, poll_interval, stop);
            // All that comes within a short time is taken together.
            if (const auto now = steady_clock::now(); now < next_claim)
                core_->pause(std::chrono::ceil<Millis>(next_claim - now), stop);
            next_claim = std::max(next_claim, steady_clock::now());
        }
    }
    core_->owners().publish(nullptr);
    const std::lock_guard lock(serve_mutex_);
    serving_.reset();
}

} // namespace foxwedge::journal
