#include "journal/lmdb_core.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/json.hpp"
#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/suspend.hpp"

namespace foxwedge::journal {
namespace {
constexpr int readers_check_every = 60;   // polls
constexpr std::size_t due_at_once = 1000; // firings in one transaction
constexpr std::int64_t dead_every_ms = 200;
constexpr Millis owed_at_least{100}; ///< before it is written without an occasion
} // namespace

Result<std::shared_ptr<LmdbCore>> LmdbCore::open(const JournalOptions& options) {
    auto core = std::shared_ptr<LmdbCore>(new LmdbCore);
    core->clock_ = options.clock;
    core->log_ = options.log;
    FOXWEDGE_TRY(journal, SharedJournal::open(options));
    core->journal_ = std::move(journal);
    FOXWEDGE_TRY(owners, Owners::open(options.path, options.owner_label, system_clock().now()));
    core->owners_ = std::move(owners);
    core->alive_ = [raw = core.get()](const std::string& owner) { return raw->alive(owner); };
    if (options.suspend_waits) make_suspend_wait_for_commits();
    return core;
}

LmdbCore::~LmdbCore() {
    watcher_.request_stop();
    if (watcher_.joinable()) owners_->interrupt();
}

Error LmdbCore::gone() const {
    return unknown_outcome("journal_fault", "this engine has been abandoned");
}

int LmdbCore::write(const std::function<void(Transitions&, WriteScope&)>& change, std::size_t bytes,
                    bool may_use_reserve) {
    if (abandoned) return EOWNERDEAD;
    const Time now = clock_->now();
    Transitions::News news;
    Work work{[&](WriteScope& scope) {
                  Transitions transitions(scope, now, alive_);
                  change(transitions, scope);
                  news = transitions.news();
              },
              bytes, may_use_reserve};
    const int error = journal_->run(work);
    if (error == 0) tell(news);
    return error;
}

void LmdbCore::tell(const Transitions::News& news) {
    if (news.ready) some_ready();
    if (!news.runs.empty()) {
        const std::lock_guard lock(mutex_);
        for (const auto& [raw, held] : held_)
            if (std::find(news.runs.begin(), news.runs.end(), held->packed) != news.runs.end()) {
                ++held->news;
                held->changed.notify_all();
            }
    }
    if (news.any) owners_->hint();
    if (news.holders) look_at_held();
}

int LmdbCore::write_large(const std::vector<PreparedContent>& contents) {
    constexpr std::size_t large = 256 << 10;
    for (const auto& c : contents) {
        if (c.frame.payload.size() <= large) continue;
        Work work{
            [&](WriteScope& scope) { store_content(scope.txn, scope.log, c.digest, c.frame); },
            c.frame.payload.size(), false, true};
        if (const int error = journal_->run(work); error != 0) return error;
    }
    return 0;
}

std::set<std::string> LmdbCore::dead_owners(Txn& txn) {
    std::set<std::string> seen, dead;
    const std::string running(1, static_cast<char>(RunStatus::running));
    Cursor cursor(txn, Table::status);
    for (bool more = cursor.seek(running); more && cursor.key().substr(0, 1) == running;
         more = cursor.next()) {
        const auto row = txn.get(Table::live, cursor.key().substr(1));
        const auto live = row ? decode_live(*row) : std::nullopt;
        if (live && live->owner != owner() && seen.insert(live->owner).second &&
            !alive(live->owner))
            dead.insert(live->owner);
    }
    return dead;
}

void LmdbCore::settle(bool often) {
    if (abandoned) return;
    bool due = false;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count();
    const bool look = !often || now - looked_for_dead_ >= dead_every_ms;
    if (look) looked_for_dead_ = now;
    std::set<std::string> dead;
    {
        Txn txn = read();
        Cursor cursor(txn, Table::due);
        due = cursor.first() &&
              from_big_endian(cursor.key()) <=
                  static_cast<std::uint64_t>(clock_->now().time_since_epoch().count());
        if (look) dead = dead_owners(txn);
    }
    if (!due && dead.empty()) return;
    bool more = due;
    write(
        [&](Transitions& t, WriteScope&) {
            for (const auto& owner : dead) t.bury(owner);
            more = due && t.fire_due(due_at_once);
        },
        4096, true);
    while (more && !abandoned) {
        const int error =
            write([&](Transitions& t, WriteScope&) { more = t.fire_due(due_at_once); }, 4096, true);
        if (error != 0) break;
    }
}

void LmdbCore::owe(Held& held) {
    if (held.owes.exchange(true)) return;
    held.owes_since = std::chrono::steady_clock::now();
    ++owing_;
}

void LmdbCore::paid(Held& held) {
    if (held.owes.exchange(false)) --owing_;
}

void LmdbCore::pay(std::string_view packed) {
    pay_if([packed](const Held& held) { return held.packed == packed; });
}

void LmdbCore::pay_older(Millis age) {
    pay_if([due = std::chrono::steady_clock::now() - age](const Held& held) {
        return held.owes_since <= due;
    });
}

void LmdbCore::pay_if(const std::function<bool(const Held&)>& is_meant) {
    if (owing_ == 0) return;
    std::vector<std::shared_ptr<Held>> owing;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [raw, held] : held_)
            if (held->owes) owing.push_back(held);
    }
    for (const auto& held : owing) {
        const std::lock_guard lock(held->owing);
        if (held->owes && held->pay && is_meant(*held)) held->pay();
    }
}

std::shared_ptr<Held> LmdbCore::hold(const std::string& packed, std::uint64_t epoch) {
    auto held = std::make_shared<Held>();
    held->packed = packed;
    held->epoch = epoch;
    {
        const std::lock_guard lock(mutex_);
        held_[held.get()] = held;
    }
    watch();
    return held;
}

void LmdbCore::let_go(const std::shared_ptr<Held>& held) {
    const std::lock_guard lock(mutex_);
    held_.erase(held.get());
}

std::size_t LmdbCore::held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
}

void LmdbCore::look_at_held() {
    std::vector<std::shared_ptr<Held>> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [raw, held] : held_) all.push_back(held);
    }
    if (all.empty()) return;
    bool told = false;
    {
        Txn txn = read();
        for (const auto& held : all) {
            const auto row = txn.get(Table::live, held->packed);
            const auto live = row ? decode_live(*row) : std::nullopt;
            if (!live) continue;
            const bool lost = live->epoch != held->epoch;
            if (lost)
                told |= !held->lost.exchange(true);
            else if (live->cancel_asked)
                told |= !held->cancelled.exchange(true);
        }
    }
    if (!told) return;
    for (const auto& held : all)
        if (held->lost || held->cancelled) held->stop.request_stop();
    bump();
}

void LmdbCore::bump() {
    some_ready();
    const std::lock_guard lock(mutex_);
    for (const auto& [raw, held] : held_) {
        ++held->news;
        held->changed.notify_all();
    }
}

void LmdbCore::some_ready() {
    {
        const std::lock_guard lock(mutex_);
        ++generation_;
    }
    changed_.notify_all();
}

std::uint64_t LmdbCore::news_of(const Held& held) const {
    const std::lock_guard lock(mutex_);
    return held.news;
}

void LmdbCore::await_news(Held& held, std::uint64_t seen, Millis time,
                          const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    held.changed.wait_for(lock, stop, time, [&] { return held.news != seen; });
}

void LmdbCore::has_news(Held& held) {
    const std::lock_guard lock(mutex_);
    ++held.news;
    held.changed.notify_all();
}

bool LmdbCore::is_to_look(Held& held) {
    const std::lock_guard lock(mutex_);
    return std::exchange(held.told, held.news) != held.news;
}

void LmdbCore::await_ready(std::uint64_t seen, Millis time, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, time, [&] { return generation_ != seen; });
}

void LmdbCore::pause(Millis time, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, time, [] { return false; });
}

void LmdbCore::watch() {
    std::call_once(watching_, [this] {
        watcher_ = std::jthread([this](const std::stop_token& stop) { watch_loop(stop); });
    });
}

Millis LmdbCore::until_next_due() {
    Txn txn = read();
    Cursor cursor(txn, Table::due);
    if (!cursor.first()) return poll_interval;
    const auto at = Time(Millis(static_cast<std::int64_t>(from_big_endian(cursor.key()))));
    // Not at once: what is due and cannot be fired (a full journal) must not spin.
    return std::clamp(at - clock_->now(), Millis(5), poll_interval);
}

void LmdbCore::watch_loop(const std::stop_token& stop) {
    for (int polls = 1; !stop.stop_requested(); ++polls) {
        owners_->await_hint(until_next_due());
        if (stop.stop_requested() || abandoned) break;
        settle();
        pay_older(owed_at_least);
        look_at_held();
        journal_->report_long_wait();
        bump();
        if (polls % readers_check_every == 0) journal_->environment().check_readers();
    }
}

Error no_such_run(std::string_view run) {
    return permanent("not_found", "there is no run " + std::string(run));
}

Error damage_error(std::string_view run, const Damage& damage) {
    std::string message = "the journal is damaged in run " + std::string(run);
    message += damage.step.empty() ? ", in a record that names no step"
                                   : ", at or before the step " + damage.step;
    return permanent("journal_damaged",
                     message + "; `foxwedge journal export` saves what can be read",
                     "{\"run\":" + quoted(run) + ",\"step\":" + quoted(damage.step) + "}");
}

std::optional<LoadedRun> load_run(Txn& txn, std::string_view packed, Load what) {
    const auto run_row = txn.get(Table::run, packed);
    const auto live_row = txn.get(Table::live, packed);
    if (!run_row || !live_row) return std::nullopt;
    LoadedRun loaded;
    Contents contents(txn);
    auto run = decode_run(*run_row, what == Load::head_for_list ? nullptr : &contents);
    auto live = decode_live(*live_row);
    if (!run || !live) {
        loaded.damage = Damage{};
        loaded.head.id = unpacked_id(packed);
        return loaded;
    }
    RunHead& h = loaded.head;
    h.id = unpacked_id(packed);
    h.host = std::move(run->host);
    h.workflow = std::move(run->workflow);
    h.key = std::move(run->key);
    h.parent = std::move(run->parent);
    h.root = run->root.empty() ? h.id : std::move(run->root);
    h.status = live->status;
    h.created = run->created;
    h.updated = live->updated;
    h.epoch = live->epoch;
    h.labels_json = std::move(run->labels_json);
    if (what != Load::head_for_list) {
        h.input_json = std::move(run->input_json);
        h.config_json = std::move(run->config_json);
    }
    h.deaths = live->deaths;
    h.reason = live->reason;
    h.retried_at = live->retried_at;
    loaded.live = *std::move(live);
    if (what == Load::all)
        loaded.damage = read_entries(txn, packed, loaded.live.tail, loaded.entries);
    if (is_final(h.status) && loaded.live.end != 0) {
        LogReader log(txn);
        FrameHeader header;
        std::vector<Entry> end;
        if (const auto payload = log.read(loaded.live.end, header);
            payload && read_frame_entries(*payload, header, loaded.live.end, contents, end) &&
            end.back().outcome)
            h.result = std::move(end.back().outcome);
        else
            loaded.damage = Damage{loaded.live.end, {}};
    }
    return loaded;
}

std::vector<Record> records_of(Txn& txn, std::string_view packed, std::vector<Entry> entries) {
    auto records = fold(std::move(entries));
    const std::string prefix = side_key(packed, side_checkpoint);
    Cursor cursor(txn, Table::side);
    for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
         more = cursor.next()) {
        const auto place = cursor.key().substr(prefix.size());
        for (auto& r : records)
            if (!r.outcome && checkpoint_place(r.key, r.generation) == place)
                r.checkpoint = cursor.value();
    }
    return records;
}

} // namespace foxwedge::journal
