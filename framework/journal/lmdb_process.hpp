// Inside the LMDB engine: the Engine over a core. Its parts: lmdb_engine.cpp (runs), lmdb_lists.cpp
// (lists and the store), lmdb_serve.cpp (dispatching).
#pragma once
#include <map>

#include "journal/lmdb_core.hpp"

namespace foxwedge::journal {

class LmdbEngine final : public Engine {
public:
    explicit LmdbEngine(std::shared_ptr<LmdbCore> core) : core_(std::move(core)) {}

    Result<Started> start(const NewRun&) override;
    Result<Begun> begin(const NewRun&, bool later) override;
    Result<std::unique_ptr<Activation>> open(std::string_view run, const OpenOptions&) override;
    void serve(const ServeOptions&, std::function<void(std::unique_ptr<Activation>)>,
               std::stop_token) override;
    Result<Gate> answer(const Answer&) override;
    Status cancel(std::string_view run, std::string_view who) override;
    Status retry(std::string_view run) override;
    Status signal(std::string_view run, std::string_view key, std::string_view value_json) override;

    Result<RunHead> head(std::string_view run) override;
    Result<std::vector<RunHead>> runs(const RunQuery&) override;
    Result<std::vector<Gate>> gates(const GateQuery&) override;
    Result<std::vector<Record>> records(std::string_view run) override;
    Result<std::optional<StoreItem>> get(std::string_view collection,
                                         std::string_view key) override;
    Result<std::vector<StoreItem>> scan(std::string_view collection, std::string_view prefix,
                                        std::string_view after, int limit) override;
    Result<std::vector<StoreItem>> changes(std::string_view collection, std::uint64_t revision,
                                           int limit) override;
    Result<Verdict> apply(std::span<const Effect>) override;
    Limits limits() const override { return {}; }
    bool served(std::string_view host, std::string_view workflow) override;

    LmdbCore& core() { return *core_; }

private:
    struct Claimed {
        std::string packed;
        LiveRow live;
    };
    /// Takes the run inside a transaction: the one place where an epoch rises.
    LiveRow take(Transitions&, std::string_view packed, LiveRow row);
    std::vector<Claimed> claim_ready(const ServeOptions&, std::size_t room);
    bool wanted(Txn&, const ServeOptions&, std::string_view packed);
    void run_claimed(const Claimed&, const std::function<void(std::unique_ptr<Activation>)>&);
    Error held_by(const std::string& run, const std::string& owner);
    template <class T>
    Result<T> checked(Txn& txn, T value) {
        if (txn.error() != 0) return core_->fault(txn.error());
        return value;
    }

    std::shared_ptr<LmdbCore> core_;
    std::mutex serve_mutex_;
    std::condition_variable_any served_changed_;
    /// Runs that ended without parking or finishing are not tried again at once: when, how often.
    struct SetAside {
        std::chrono::steady_clock::time_point until;
        int times = 0;
        Time updated{}; ///< of the run then: whatever changes it makes it worth a try
    };
    std::map<std::string, SetAside> set_aside_;
    std::optional<ServeOptions> serving_;
};

bool serves(const std::string& host, const std::vector<std::string>& workflows,
            std::string_view wanted_host, std::string_view wanted_workflow);

} // namespace foxwedge::journal
