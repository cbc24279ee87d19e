#include <algorithm>
#include <cerrno>
#include <mutex>

#include "journal/bytes.hpp"
#include "journal/keys.hpp"
#include "journal/lmdb_core.hpp"
#include "journal/prepared_batch.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {
namespace {

/// What may use the reserve, and what may be held back, is at most this large.
constexpr std::size_t small_write = 64 << 10;

std::optional<ChildEnd> child_end(Txn& txn, std::string_view packed, std::uint64_t sequence) {
    // What it was started with is nobody's concern here, and costs more than its end.
    auto child = load_run(txn, packed, Load::head_for_list);
    if (!child || !child->head.result) return std::nullopt;
    return ChildEnd{std::move(child->head.id), child->head.status, *std::move(child->head.result),
                    sequence};
}

class LmdbActivation final : public Activation {
public:
    LmdbActivation(std::shared_ptr<LmdbCore> core, std::shared_ptr<Held> held, RunHead head,
                   std::vector<Record> records, const std::vector<Entry>& gates,
                   const LiveRow& live, std::optional<PreparedRun> birth)
        : core_(std::move(core)), held_(std::move(held)), head_(std::move(head)),
          records_(std::move(records)), states_(records_),
          time_(live.updated.time_since_epoch().count()), birth_(std::move(birth)) {
        for (const auto& e : gates) states_.gates[gate_name(e.key, e.generation)] = e.id;
        const std::lock_guard lock(held_->owing);
        held_->pay = [this] { pay(); };
        if (birth_) core_->owe(*held_);
    }
    ~LmdbActivation() override {
        {
            const std::lock_guard lock(held_->owing);
            held_->pay = nullptr;
            // What never came into being is nothing to give up.
            if (birth_) done_ = true;
            if (done_) core_->paid(*held_);
        }
        if (!done_) {
            held_->given_up = true;
            (void)give_up(RunStatus::ready, {});
            core_->paid(*held_);
        }
        core_->let_go(held_);
    }

    const RunHead& run() const override { return head_; }
    std::span<const Record> records() const override { return records_; }
    std::vector<Gate> gates() const override;
    std::optional<Gate> gate(std::string_view id) const override;
    Committed commit(Batch batch) override;
    Committed hold(Batch batch) override;
    std::vector<ChildEnd> inbox(std::uint64_t after) const override;
    std::optional<ChildEnd> end_of(std::string_view child) const override;
    std::optional<RunStatus> status_of(std::string_view child) const override;
    std::optional<std::string> signal(std::string_view key) const override;
    void await_change(const std::vector<Wait>&, std::stop_token) override;
    Status park(const std::vector<Wait>& waits) override {
        return give_up(RunStatus::waiting, waits);
    }
    Status finish(RunStatus, const Outcome&) override;
    std::stop_token stopped() const override { return held_->stop.get_token(); }
    bool cancelled() const override {
        core_->look_at_held();
        return held_->cancelled;
    }
    Time now() const override {
        auto last = time_.load();
        const auto mine = core_->clock().now().time_since_epoch().count();
        while (last < mine && !time_.compare_exchange_weak(last, mine)) {
        }
        return Time(Millis(std::max<std::int64_t>(last, mine)));
    }

private:
    /// The run's row, if it is still ours.
    std::optional<LiveRow> mine(Transitions& t) const {
        auto row = t.live(held_->packed);
        if (row && row->epoch == held_->epoch && row->owner == core_->owner()) return row;
        return std::nullopt;
    }
    Error lost() const {
        return permanent("lease_lost", "another owner holds run " + head_.id + " now");
    }
    using Change = std::function<void(Transitions&, WriteScope&, LiveRow&)>;
    /// One transaction: what is owed, then `change`, if the run is still ours, which `still` tells.
    /// 0 or LMDB's error.
    int transact(const Change& change, std::size_t bytes, bool may_use_reserve, bool& still);
    /// `owes`: the caller has `owing`, and what is owed is taken along.
    int write(const Change&, std::size_t bytes, bool may_use_reserve, bool& still, bool owes);
    /// Writes what is owed by itself; the caller has `owing`.
    void pay();
    void write_owed(Transitions&, WriteScope&, LiveRow&);
    /// Parks or releases.
    Status give_up(RunStatus, const std::vector<Wait>&);
    PreparedBatch prepare(Batch);
    Committed commit_prepared(PreparedBatch);
    /// One transaction for the batch; false if it did not fit as a whole.
    bool commit_once(PreparedBatch&, std::vector<Verdict>&, std::string& why);
    void write_items(Transitions&, WriteScope&, LiveRow&, const PreparedBatch&,
                     std::vector<Verdict>&, std::string& why);
    std::optional<std::string> write_item(Transitions&, WriteScope&, const PreparedItem&);
    void remember(const PreparedBatch&, const std::vector<Verdict>&);

    std::shared_ptr<LmdbCore> core_;
    std::shared_ptr<Held> held_;
    RunHead head_;
    std::vector<Record> records_;
    std::mutex mutex_; ///< of states_
    StepStates states_;
    mutable std::atomic<std::int64_t> time_;
    bool done_ = false;

    // With held_->owing:
    std::optional<PreparedRun> birth_; ///< the run is not on record yet
    std::vector<PreparedBatch> owed_;  ///< what was held back, in order
};

int LmdbActivation::write(const Change& change, std::size_t bytes, bool may_use_reserve,
                          bool& still, bool owes) {
    if (owes) {
        if (birth_) bytes += birth_->bytes();
        for (const auto& batch : owed_) bytes += batch.bytes;
    }
    const int error = core_->write(
        [&](Transitions& t, WriteScope& scope) {
            std::string existing;
            if (owes && birth_) (void)t.start(*birth_, existing, core_->owner());
            auto row = mine(t);
            still = row.has_value();
            if (!row) return;
            if (owes) write_owed(t, scope, *row);
            change(t, scope, *row);
        },
        bytes, may_use_reserve && bytes < small_write);
    if (error == 0 && owes) {
        birth_.reset();
        owed_.clear();
        core_->paid(*held_);
    }
    return error;
}

int LmdbActivation::transact(const Change& change, std::size_t bytes, bool may_use_reserve,
                             bool& still) {
    std::unique_lock<std::mutex> owing;
    if (held_->owes) owing = std::unique_lock(held_->owing);
    return write(change, bytes, may_use_reserve, still, owing.owns_lock());
}

void LmdbActivation::pay() {
    bool still = false;
    (void)write([](Transitions&, WriteScope&, LiveRow&) {}, 0, true, still, true);
}

void LmdbActivation::write_owed(Transitions& t, WriteScope& scope, LiveRow& row) {
    for (const auto& batch : owed_) {
        std::vector<Verdict> verdicts(batch.items.size(), Verdict::recorded);
        std::string why;
        write_items(t, scope, row, batch, verdicts, why);
        // It was judged when it was held back: whoever has made it unfit since breaks the rules of
        // the store, and what its caller was told of it does not hold.
        if (!why.empty()) scope.txn.fail(ECANCELED);
    }
}

std::optional<std::string> LmdbActivation::write_item(Transitions& t, WriteScope& scope,
                                                      const PreparedItem& item) {
    if (auto why = apply_effects(scope.txn, scope.log, item.effects)) return why;
    if (item.child) {
        std::string existing;
        const auto started = t.start(*item.child, existing);
        if (started == Transitions::Start::existed) {
            // Only the child that this step started before is joined.
            const auto row = scope.txn.get(Table::run, packed_id(existing));
            const auto run = row ? decode_run(*row, nullptr) : std::nullopt;
            if (!run || run->parent != head_.id || packed_id(existing) != item.child->id)
                return "run " + existing + " is no child of this run";
        } else if (started != Transitions::Start::started) {
            return "the child's start key belongs to another run";
        }
    }
    for (const auto& c : item.contents) store_content(scope.txn, scope.log, c.digest, c.frame);
    const auto place = [&] {
        return side_key(held_->packed, side_checkpoint,
                        checkpoint_place(item.key, item.generation));
    };
    if (item.kind == PreparedItem::Kind::checkpoint)
        scope.txn.put(Table::side, place(), item.checkpoint_bytes);
    if (item.clears_checkpoint) scope.txn.erase(Table::side, place());
    return std::nullopt;
}

void LmdbActivation::write_items(Transitions& t, WriteScope& scope, LiveRow& row,
                                 const PreparedBatch& batch, std::vector<Verdict>& verdicts,
                                 std::string& why) {
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (item.verdict != Verdict::recorded) {
            if (why.empty()) why = item.why;
            continue;
        }
        if (item.nothing_to_do) continue;
        if (auto refused = write_item(t, scope, item)) {
            verdicts[i] = Verdict::conflict;
            if (why.empty()) why = *std::move(refused);
        }
    }
    Prepared fewer;
    const Prepared* frame = &batch.all;
    if (!batch.certain) {
        fewer = frame_of(batch.items, verdicts);
        frame = &fewer;
    }
    if (frame->count > 0) {
        row.tail = scope.log.append(held_->packed, row.tail, *frame);
        row.newest = row.tail;
    }
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (verdicts[i] != Verdict::recorded) continue;
        if (item.gate) t.open_gate(held_->packed, *item.gate, row.tail);
        if (item.finishes && !item.gate_id.empty()) t.withdraw(packed_id(item.gate_id));
    }
    row.updated = t.time_of(row);
    t.put(held_->packed, row, row.status);
}

bool LmdbActivation::commit_once(PreparedBatch& batch, std::vector<Verdict>& verdicts,
                                 std::string& why) {
    for (const auto& item : batch.items) {
        int error = core_->write_large(item.contents);
        if (error == 0 && item.child) error = core_->write_large(item.child->contents);
        for (const auto& e : item.effects)
            if (error == 0) error = core_->write_large(e.contents);
        if (error != 0) {
            verdicts.assign(batch.items.size(), is_full(error) ? Verdict::full : Verdict::io_error);
            why = core_->fault(error).message;
            return !is_full(error);
        }
    }
    bool still = false;
    const int error = transact(
        [&](Transitions& t, WriteScope& scope, LiveRow& row) {
            why.clear();
            verdicts.clear();
            for (const auto& item : batch.items) verdicts.push_back(item.verdict);
            write_items(t, scope, row, batch, verdicts, why);
        },
        batch.bytes, false, still);
    if (error == 0) {
        if (!still) {
            verdicts.assign(batch.items.size(), Verdict::lost);
            why = lost().message;
        }
        return true;
    }
    verdicts.assign(batch.items.size(), is_full(error) ? Verdict::full : Verdict::io_error);
    why = core_->fault(error).message;
    return !is_full(error);
}

void LmdbActivation::remember(const PreparedBatch& batch, const std::vector<Verdict>& verdicts) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < batch.items.size(); ++i) {
        const auto& item = batch.items[i];
        if (verdicts[i] != Verdict::recorded || item.nothing_to_do) continue;
        auto& s = states_.at(item.key);
        if (s.generation != item.generation || s.finished)
            s = StepState{item.key.name, item.generation};
        s.finished = item.finishes;
        s.failed = item.fails;
        s.intent |= item.kind == PreparedItem::Kind::intent;
        if (item.kind == PreparedItem::Kind::checkpoint) s.checkpoint = true;
        if (item.finishes) s.checkpoint = false;
        if (item.kind == PreparedItem::Kind::gate)
            states_.gates[gate_name(item.key, item.generation)] = item.gate_id;
    }
}

Committed LmdbActivation::commit_prepared(PreparedBatch batch) {
    Committed done;
    for (const auto& item : batch.items)
        if (item.kind == PreparedItem::Kind::gate) done.gate_ids.push_back(item.gate_id);
    const bool fitted = commit_once(batch, done.verdicts, done.explanation);
    if (fitted || batch.items.size() < 2) {
        remember(batch, done.verdicts);
    } else {
        // One item did not fit, but not its neighbours: each by itself.
        done.verdicts.clear();
        done.explanation.clear();
        for (auto& item : batch.items) {
            PreparedBatch one;
            one.bytes = item.bytes;
            one.certain = false;
            one.items.push_back(std::move(item));
            std::vector<Verdict> verdict;
            std::string why;
            (void)commit_once(one, verdict, why);
            remember(one, verdict);
            done.verdicts.push_back(verdict.front());
            if (done.explanation.empty()) done.explanation = why;
        }
    }
    if (std::find(done.verdicts.begin(), done.verdicts.end(), Verdict::lost) != done.verdicts.end())
        core_->look_at_held();
    return done;
}

PreparedBatch LmdbActivation::prepare(Batch given) {
    const std::lock_guard lock(mutex_);
    return prepare_batch(std::move(given), head_, states_, Limits(), now());
}

Committed LmdbActivation::commit(Batch given) {
    return commit_prepared(prepare(std::move(given)));
}

Committed LmdbActivation::hold(Batch given) {
    PreparedBatch batch = prepare(std::move(given));
    if (batch.bytes > small_write || !is_sure(batch, core_->read()))
        return commit_prepared(std::move(batch));
    Committed done;
    done.verdicts.assign(batch.items.size(), Verdict::recorded);
    remember(batch, done.verdicts);
    const std::lock_guard lock(held_->owing);
    owed_.push_back(std::move(batch));
    core_->owe(*held_);
    return done;
}

std::vector<Gate> LmdbActivation::gates() const {
    core_->settle();
    std::vector<Gate> found;
    Txn txn = core_->read();
    const std::string prefix = side_key(held_->packed, side_gate);
    Cursor cursor(txn, Table::side);
    for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
         more = cursor.next()) {
        if (auto g = read_gate(txn, cursor.key().substr(prefix.size())))
            found.push_back(std::move(g->gate));
    }
    return found;
}

std::optional<Gate> LmdbActivation::gate(std::string_view id) const {
    core_->settle();
    Txn txn = core_->read();
    auto g = read_gate(txn, packed_id(id));
    if (!g) return std::nullopt;
    return std::move(g->gate);
}

std::vector<ChildEnd> LmdbActivation::inbox(std::uint64_t after) const {
    std::vector<ChildEnd> found;
    Txn txn = core_->read();
    const std::string prefix = side_key(held_->packed, side_inbox);
    Cursor cursor(txn, Table::side);
    for (bool more = cursor.seek(side_key(held_->packed, side_inbox, big_endian(after + 1)));
         more && cursor.key().substr(0, prefix.size()) == prefix; more = cursor.next())
        if (auto end =
                child_end(txn, cursor.value(), from_big_endian(cursor.key().substr(prefix.size()))))
            found.push_back(*std::move(end));
    return found;
}

std::optional<ChildEnd> LmdbActivation::end_of(std::string_view child) const {
    Txn txn = core_->read();
    const auto row = txn.get(Table::live, packed_id(child));
    const auto live = row ? decode_live(*row) : std::nullopt;
    if (!live || !is_final(live->status)) return std::nullopt;
    return child_end(txn, packed_id(child), live->end);
}

std::optional<RunStatus> LmdbActivation::status_of(std::string_view child) const {
    Txn txn = core_->read();
    const auto row = txn.get(Table::live, packed_id(child));
    const auto live = row ? decode_live(*row) : std::nullopt;
    return live ? std::optional(live->status) : std::nullopt;
}

std::optional<std::string> LmdbActivation::signal(std::string_view key) const {
    Txn txn = core_->read();
    const auto row = txn.get(Table::side, side_key(held_->packed, side_signal, shortened(key)));
    if (!row) return std::nullopt;
    ByteReader r(*row);
    (void)r.text(); // the whole key
    return std::string(r.rest());
}

void LmdbActivation::await_change(const std::vector<Wait>& waits, std::stop_token stop) {
    constexpr Millis look_again{1000};
    // A test's clock tells nobody that it moved.
    constexpr Millis strange_clock{10};
    const auto stopped_too = held_->stop.get_token();
    const bool for_child = std::any_of(waits.begin(), waits.end(),
                                       [](const Wait& w) { return w.on == Wait::On::child; });
    const std::stop_callback wake_up(stop, [this] { core_->has_news(*held_); });
    while (!stop.stop_requested() && !stopped_too.stop_requested()) {
        const std::uint64_t seen = core_->news_of(*held_);
        core_->settle(true);
        Time now = core_->clock().now();
        Millis time = &core_->clock() == &system_clock() ? look_again : strange_clock;
        {
            Txn txn = core_->read();
            for (const auto& w : waits) {
                if (Transitions::fired(txn, held_->packed, w, now)) return;
                if (w.on == Wait::On::time) time = std::min(time, w.at - now);
            }
        }
        if (for_child && core_->is_to_look(*held_)) return;
        core_->await_news(*held_, seen, std::max(time, Millis(1)), stopped_too);
    }
}

Status LmdbActivation::give_up(RunStatus to, const std::vector<Wait>& waits) {
    if (done_) return permanent("misuse", "this activation has ended");
    bool still = false;
    const int error = transact(
        [&](Transitions& t, WriteScope& scope, LiveRow& row) {
            const RunStatus before = row.status;
            const bool fired = std::any_of(waits.begin(), waits.end(), [&](const Wait& w) {
                return Transitions::fired(scope.txn, held_->packed, w, t.now());
            });
            row.status = fired ? RunStatus::ready : to;
            if (row.status == RunStatus::waiting) t.set_waits(held_->packed, row, waits);
            row.owner.clear();
            row.updated = t.time_of(row);
            row.deaths = row.unclean = 0;
            t.put(held_->packed, row, before);
            // Nobody holds it any more, so nobody else would end it.
            if (row.cancel_asked) t.cancel_tree(held_->packed, row.cancelled_by);
            if (!head_.parent.empty()) t.concerns(packed_id(head_.parent));
        },
        512, true, still);
    if (error != 0) return core_->fault(error);
    done_ = true;
    if (!still) return lost();
    if (std::any_of(waits.begin(), waits.end(),
                    [](const Wait& w) { return w.on == Wait::On::time; }))
        core_->replan();
    return {};
}

Status LmdbActivation::finish(RunStatus status, const Outcome& given) {
    if (done_) return permanent("misuse", "this activation has ended");
    const bool cancelled = status == RunStatus::cancelled;
    const auto named = cancelled ? named_cancel(core_->read(), held_->packed, given) : Outcome();
    const Outcome& outcome = cancelled ? named : given;
    if (outcome.value_json.size() > Limits().max_value)
        return permanent("too_large", "the run's result is over 8 MiB");
    std::vector<PreparedContent> contents;
    const Prepared frame = prepare_end(status, outcome, contents);
    if (const int error = core_->write_large(contents); error != 0) return core_->fault(error);
    std::size_t bytes = frame.payload.size();
    for (const auto& c : contents) bytes += c.frame.payload.size();
    bool still = false;
    const int error = transact(
        [&](Transitions& t, WriteScope& scope, LiveRow& row) {
            for (const auto& c : contents) store_content(scope.txn, scope.log, c.digest, c.frame);
            t.finish(held_->packed, std::move(row), status, frame);
        },
        bytes, true, still);
    if (error != 0) return core_->fault(error);
    done_ = true;
    if (!still) return lost();
    return {};
}

} // namespace

std::unique_ptr<Activation> make_lmdb_activation(std::shared_ptr<LmdbCore> core,
                                                 std::shared_ptr<Held> held, RunHead head,
                                                 std::vector<Entry> entries, const LiveRow& live,
                                                 std::optional<PreparedRun> birth) {
    std::vector<Entry> gates;
    for (const auto& e : entries)
        if (e.type == EntryType::gate) gates.push_back(e);
    std::vector<Record> records;
    if (!entries.empty()) {
        Txn txn = core->read();
        records = records_of(txn, held->packed, std::move(entries));
    }
    return std::make_unique<LmdbActivation>(std::move(core), std::move(held), std::move(head),
                                            std::move(records), gates, live, std::move(birth));
}

} // namespace foxwedge::journal
