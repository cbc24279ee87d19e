// Our estimates held against what the provider counted: the newest call corrects all that follow.
// Pure, of recorded usage only.
#pragma once
#include <cstdint>

#include "contracts/message.hpp"

namespace foxwedge::agent {

class Meter {
public:
    /// `constant`: estimate of what stands before the exchanges.
    explicit Meter(std::int64_t constant = 0) : constant_(constant) {}
    /// More of the same: the task.
    void add_constant(std::int64_t estimated) { constant_ += estimated; }

    /// After a model call: what it reported, and what we would have said of the exchanges it saw.
    void counted(const Usage&, std::int64_t estimated_exchanges);

    /// Tokens by the provider's count for one of our estimate; 1 until there is a count.
    double factor() const { return factor_; }
    /// Everything together, if the exchanges were shown whole.
    std::int64_t used(std::int64_t estimated_exchanges) const;

private:
    std::int64_t constant_;
    double factor_ = 1;
};

} // namespace foxwedge::agent
