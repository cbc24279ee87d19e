// knowledge_documents: Markdown documents of a project.
#pragma once
#include <foxwedge/plugin.hpp>

#include "shelves.hpp"

namespace knowledge {

class Documents : public foxwedge::plugin::Capability {
public:
    static constexpr bool concurrent = true;

    Documents(const foxwedge::plugin::Host& host, const Value&) : shelves_(host) {}
    Value tools() override;
    Value run(std::string_view tool, const Value& arguments, Call&) override;

private:
    Shelves shelves_;
};

} // namespace knowledge
