// A held run that passes everything on, for tests of what happens around single calls.
#pragma once
#include <memory>

#include "journal/engine.hpp"

namespace foxwedge::run {

/// An activation that does what another one does: for those that differ in one thing.
class Forwarding : public journal::Activation {
public:
    explicit Forwarding(std::unique_ptr<journal::Activation> inner) : inner_(std::move(inner)) {}

    const journal::RunHead& run() const override { return inner_->run(); }
    std::span<const journal::Record> records() const override { return inner_->records(); }
    std::vector<journal::Gate> gates() const override { return inner_->gates(); }
    std::optional<journal::Gate> gate(std::string_view id) const override {
        return inner_->gate(id);
    }
    journal::Committed commit(journal::Batch batch) override {
        return inner_->commit(std::move(batch));
    }
    journal::Committed hold(journal::Batch batch) override {
        return inner_->hold(std::move(batch));
    }
    std::vector<journal::ChildEnd> inbox(std::uint64_t after) const override {
        return inner_->inbox(after);
    }
    std::optional<journal::ChildEnd> end_of(std::string_view child) const override {
        return inner_->end_of(child);
    }
    std::optional<journal::RunStatus> status_of(std::string_view child) const override {
        return inner_->status_of(child);
    }
    std::optional<std::string> signal(std::string_view key) const override {
        return inner_->signal(key);
    }
    void await_change(const std::vector<journal::Wait>& waits, std::stop_token stop) override {
        inner_->await_change(waits, std::move(stop));
    }
    Status park(const std::vector<journal::Wait>& waits) override { return inner_->park(waits); }
    Status finish(journal::RunStatus status, const journal::Outcome& outcome) override {
        return inner_->finish(status, outcome);
    }
    std::stop_token stopped() const override { return inner_->stopped(); }
    bool cancelled() const override { return inner_->cancelled(); }
    Time now() const override { return inner_->now(); }

private:
    std::unique_ptr<journal::Activation> inner_;
};

} // namespace foxwedge::run
