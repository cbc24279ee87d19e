// The machine's way through objects and arrays.
#include "schema/explain.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {

void Machine::members(Frame& frame, const Op& op) {
    const auto* object = frame.value->if_object();
    if (!object) return next(frame);
    const auto& part = program_.members[op.part];
    auto size = static_cast<std::uint32_t>(object->size());
    const auto* members = object->begin();
    if (!part.patterns.empty()) {
        while (frame.i < size)
            if (!member(frame, part, frame.i)) return;
    }
    while (frame.i < size) {
        const auto& member = members[frame.i];
        auto target = part.additional;
        bool known = false;
        if (const auto* slot = part.find(key_of(member), frame.j)) {
            frame.j = static_cast<std::uint32_t>(slot - part.slots.data()) + 1;
            if (slot->required) ++frame.count;
            known = slot->node != no_node;
            if (known) target = slot->node;
        }
        auto index = frame.i++;
        if (target == no_node || (!known && part.unchecked_pattern)) continue;
        note(frame, index);
        if (!known && program_.nodes[target].never && frame.collects) {
            if (wants())
                report(*frame.node, "additionalProperties", {Link::member, index},
                       explain::unknown_property(key_of(member), part));
            fail(frame);
            continue;
        }
        auto verdict =
            apply(target, member.value(), {Link::member, index}, frame.collects, OpKind::members);
        if (!settle(frame, verdict)) return;
    }
    if (frame.count < part.required) {
        if (frame.collects)
            for (const auto& slot : part.slots)
                if (slot.required && !object->if_contains(slot.name) && wants())
                    report(*frame.node, "required", {}, explain::missing(slot.name));
        fail(frame);
        if (!frame.collects) return;
    }
    next(frame);
}

/// One member where names may match patterns: its slot, then each pattern, then the rest.
/// False if the frame has to wait or is over.
bool Machine::member(Frame& frame, const MembersPart& part, std::uint32_t index) {
    const auto& member = frame.value->get_object().begin()[index];
    auto name = key_of(member);
    // j: the stage. Its top bit remembers that something judged the member.
    constexpr std::uint32_t matched = 1U << 31;
    auto judge_by = [&](NodeId target) {
        frame.j |= matched;
        note(frame, index);
        return settle(frame, apply(target, member.value(), {Link::member, index}, frame.collects,
                                   OpKind::members));
    };
    while (true) {
        auto stage = frame.j++ & ~matched;
        if (stage == 0) {
            const auto* slot = part.find(name);
            if (slot && slot->required) ++frame.count;
            if (slot && slot->node != no_node && !judge_by(slot->node)) return false;
        } else if (stage <= part.patterns.size()) {
            const auto& [pattern, target] = part.patterns[stage - 1];
            ++steps_;
            if (program_.patterns[static_cast<std::size_t>(pattern)].found_in(name) &&
                !judge_by(target))
                return false;
        } else {
            bool rest = !(frame.j & matched) && part.additional != no_node &&
                        !part.unchecked_pattern && stage == part.patterns.size() + 1;
            if (rest && frame.collects && program_.nodes[part.additional].never) {
                if (wants())
                    report(*frame.node, "additionalProperties", {Link::member, index},
                           explain::unknown_property(name, part));
                fail(frame);
            } else if (rest && !judge_by(part.additional)) {
                return false;
            }
            frame.j = 0;
            ++frame.i;
            return true;
        }
    }
}

void Machine::names(Frame& frame, const Op& op) {
    const auto* object = frame.value->if_object();
    if (!object) return next(frame);
    while (frame.i < object->size()) {
        auto index = frame.i++;
        scratch_.name = key_at(*frame.value, index);
        auto verdict = apply(program_.targets[op.first], scratch_.name, {Link::name, index},
                             frame.collects, OpKind::names);
        if (!settle(frame, verdict)) return;
    }
    next(frame);
}

void Machine::needs(Frame& frame, const Op& op) {
    const auto& part = program_.needs[op.part];
    next(frame);
    const auto* object = frame.value->if_object();
    if (!object || !object->if_contains(part.trigger)) return;
    for (auto name : part.names) {
        if (object->if_contains(name)) continue;
        if (frame.collects && wants())
            report(*frame.node, "dependentRequired", {}, explain::needed(name, part.trigger));
        fail(frame);
        if (!frame.collects) return;
    }
}

void Machine::elements(Frame& frame, const Op& op) {
    const auto* array = frame.value->if_array();
    if (!array) return next(frame);
    const auto& part = program_.elements[op.part];
    auto size = static_cast<std::uint32_t>(array->size());
    if (part.rest == no_node)
        size = std::min(size, static_cast<std::uint32_t>(part.prefix.size()));
    else if (frame.i == 0)
        note(frame, all_noted);
    while (frame.i < size) {
        auto index = frame.i++;
        auto target = index < part.prefix.size() ? part.prefix[index] : part.rest;
        note(frame, index);
        auto verdict = apply(target, (*array)[index], {Link::element, index}, frame.collects,
                             OpKind::elements);
        if (!settle(frame, verdict)) return;
    }
    next(frame);
}

void Machine::contains(Frame& frame, const Op& op) {
    const auto* array = frame.value->if_array();
    if (!array) return next(frame);
    const auto& part = program_.contains[op.part];
    bool bounded = part.max < array->size();
    while (frame.i < array->size()) {
        if (frame.count >= part.min && !bounded && !frame.notes) break;
        auto index = frame.i++;
        auto verdict =
            apply(part.node, (*array)[index], {Link::element, index}, false, OpKind::contains);
        if (verdict == Verdict::pending || gave_up_) return;
        if (verdict == Verdict::yes) contained(frame, part, index);
    }
    bool few = frame.count < part.min;
    if (few || frame.count > part.max) {
        if (frame.collects && wants())
            report(*frame.node,
                   !few               ? "maxContains"
                   : part.min_keyword ? "minContains"
                                      : "contains",
                   {}, explain::contains(part, frame.count));
        fail(frame);
        if (!frame.collects) return;
    }
    next(frame);
}

void Machine::contained(Frame& frame, const ContainsPart& part, std::uint32_t index) {
    ++frame.count;
    if (part.annotates) note(frame, index);
}

} // namespace foxwedge::schema
