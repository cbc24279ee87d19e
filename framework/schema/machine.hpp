// Judges values by a Program, with a stack of its own instead of recursion.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/program.hpp"
#include "schema/schema.hpp"

namespace foxwedge::schema {

/// How a frame's value is reached from the frame's below.
enum class Link : std::uint8_t { same, member, element, name };

/// A subschema at work on a value.
struct Frame {
    const Node* node;
    const Json* value;
    std::uint32_t op = 0;    ///< of the node's ops: the one at work
    std::uint32_t i = 0;     ///< how far the op is: member, element, branch
    std::uint32_t j = 0;     ///< second such counter
    std::uint32_t count = 0; ///< what the op has counted
    std::uint32_t index = 0; ///< of the value among its parent's members or elements
    std::uint32_t depth = 0; ///< frames below on the same value
    std::uint32_t noted = 0; ///< size of the notes when the frame began
    std::uint32_t pending = 0;
    std::uint32_t mark = 0; ///< number of violations when the op began
    Link link = Link::same;
    OpKind waiting = OpKind::apply; ///< the op that the frame above works for
    bool ok = true;
    bool collects = false; ///< goes on after a failure, to say all
    bool notes = false;    ///< someone asks which parts were judged
};

class Machine {
public:
    /// `violations` null: only the verdict counts.
    Machine(const Program& program, std::vector<Violation>* violations, std::size_t most);
    bool run(const Json& value);
    /// Why the work was ended before the verdict; null if it was not. After a run with violations.
    const Violation* surrender() const { return gave_up_ ? &surrender_ : nullptr; }

private:
    enum class Verdict : std::uint8_t { no, yes, pending };
    /// A value about to be judged, seen from the top frame.
    struct Place {
        Link link = Link::same;
        std::uint32_t index = 0;
    };

    Verdict apply(NodeId, const Json& value, Place, bool collects, OpKind by);
    Verdict apply_slowly(const Node&, const Json& value, Place, bool collects, OpKind by);
    void step(Frame&);
    void deliver(Frame&, bool ok);
    bool settle(Frame&, Verdict);
    void fail(Frame&);
    static void next(Frame&);

    void members(Frame&, const Op&);
    bool member(Frame&, const MembersPart&, std::uint32_t index);
    void names(Frame&, const Op&);
    void needs(Frame&, const Op&);
    void elements(Frame&, const Op&);
    void contains(Frame&, const Op&);
    void contained(Frame&, const ContainsPart&, std::uint32_t index);
    void alternatives(Frame&, const Op&);
    void alternative(Frame&, bool ok);
    void not_(Frame&, const Op&);
    void if_(Frame&, const Op&);
    void dynamic(Frame&, const Op&);
    void unevaluated(Frame&, const Op&);
    void find_unevaluated(Frame&, std::size_t size);
    void note(const Frame&, std::uint32_t index);

    /// The checks of a node that need no other one.
    bool fits(const Node&, const Json& value);
    bool fits_rest(const Node&, const Json& value, std::uint8_t bit);
    bool is_choice(const ChoicePart&, const Json&);
    static bool too_short(const StringPart&, std::string_view);
    static bool too_long(const StringPart&, std::string_view);
    bool matches(const StringPart&, std::string_view);

    void report_misfit(const Node&, const Json& value, Place);
    void report_string(const Node&, const StringPart&, const Json& value, Place);
    void report_number(const Node&, const NumberPart&, const Json& value, Place);
    void report_count(const Node&, const CountPart&, const Json& value, Place);
    bool wants() const { return violations_->size() < most_; }
    void report(const Node&, std::string_view keyword, Place, std::string message);
    std::string instance_pointer(Place) const;
    void give_up(std::string why);

    struct Note {
        const Json* value;
        std::uint32_t index; ///< all_noted: every part
    };
    struct Scratch;
    static Scratch& scratch();

    const Program& program_;
    std::vector<Violation>* violations_;
    std::size_t most_;
    std::size_t steps_ = 0;
    bool gave_up_ = false;
    Violation surrender_;
    Scratch& scratch_;
    std::unordered_map<const Json*, std::string> pointers_;
};

} // namespace foxwedge::schema
