// global_memory: notes that later conversations find again, kept among the documents.
#pragma once
#include <foxwedge/plugin.hpp>

#include "shelves.hpp"

namespace knowledge {

class Memory : public foxwedge::plugin::Capability {
public:
    static constexpr bool concurrent = true;

    Memory(const foxwedge::plugin::Host& host, const Value&)
        : shelves_(host), detector_(host.check()) {}
    Value tools() override;
    Value run(std::string_view tool, const Value& arguments, Call&) override;

private:
    Shelves shelves_;
    const foxwedge::plugin::Check detector_;
};

} // namespace knowledge
