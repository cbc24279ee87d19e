#include "schema/machine.hpp"

#include "schema/explain.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {

Machine::Machine(const Program& program, std::vector<Violation>* violations, std::size_t most)
    : program_(program), violations_(violations), most_(most), scratch_(scratch()) {}

Machine::Scratch& Machine::scratch() {
    thread_local Scratch scratch;
    return scratch;
}

bool Machine::run(const Json& value) {
    scratch_.clear();
    auto verdict = apply(program_.root, value, {}, violations_ != nullptr, OpKind::apply);
    if (verdict != Verdict::pending) return verdict == Verdict::yes;
    auto& frames = scratch_.frames;
    while (!gave_up_) {
        auto& frame = frames.back();
        if (frame.op < frame.node->ops) {
            step(frame);
            continue;
        }
        bool ok = frame.ok;
        // What a failed subschema judged does not count, nor what concerns another value.
        if (program_.evaluates) {
            if (!ok || frame.link != Link::same) scratch_.notes.resize(frame.noted);
            scratch_.pending.resize(frame.pending);
        }
        frames.pop_back();
        if (frames.empty()) return ok;
        deliver(frames.back(), ok);
    }
    return false;
}

/// What apply cannot settle at once: a misfit, a subschema with ops, the end of all patience.
Machine::Verdict Machine::apply_slowly(const Node& node, const Json& value, Place place,
                                       bool collects, OpKind by) {
    if (gave_up_) return Verdict::no;
    if (steps_ > program_.steps) {
        give_up("judging this value takes more than " + std::to_string(program_.steps) + " steps");
        return Verdict::no;
    }
    bool fine = fits(node, value);
    if (!fine && !collects) return Verdict::no;
    if (!fine) report_misfit(node, value, place);
    if (node.leaf) return fine ? Verdict::yes : Verdict::no;
    auto& frames = scratch_.frames;
    Frame frame{&node, &value};
    if (!frames.empty()) {
        auto& parent = frames.back();
        parent.waiting = by;
        if (place.link == Link::same) {
            frame.depth = parent.depth + 1;
            frame.notes = parent.notes;
            if (frame.depth > program_.nodes.size()) {
                give_up("the schema applies itself to the same value without end");
                return Verdict::no;
            }
        }
    }
    frame.index = place.index;
    frame.link = place.link;
    frame.ok = fine;
    frame.collects = collects;
    frame.notes |= node.evaluates;
    frame.noted = static_cast<std::uint32_t>(scratch_.notes.size());
    frame.pending = static_cast<std::uint32_t>(scratch_.pending.size());
    frames.push_back(frame);
    return Verdict::pending;
}

void Machine::step(Frame& frame) {
    const auto& op = program_.ops[frame.node->first_op + frame.op];
    switch (op.kind) {
    case OpKind::members:
        return members(frame, op);
    case OpKind::names:
        return names(frame, op);
    case OpKind::needs:
        return needs(frame, op);
    case OpKind::elements:
        return elements(frame, op);
    case OpKind::contains:
        return contains(frame, op);
    case OpKind::dependent: {
        const auto* object = frame.value->if_object();
        if (!object || !object->if_contains(program_.needs[op.part].trigger)) return next(frame);
        [[fallthrough]];
    }
    case OpKind::apply:
        next(frame);
        settle(frame,
               apply(program_.targets[op.first], *frame.value, {}, frame.collects, OpKind::apply));
        return;
    case OpKind::any_of:
    case OpKind::one_of:
        return alternatives(frame, op);
    case OpKind::not_:
        return not_(frame, op);
    case OpKind::if_:
        return if_(frame, op);
    case OpKind::dynamic:
        return dynamic(frame, op);
    case OpKind::unevaluated_items:
    case OpKind::unevaluated_properties:
        return unevaluated(frame, op);
    }
}

void Machine::deliver(Frame& frame, bool ok) {
    switch (frame.waiting) {
    case OpKind::contains: {
        const auto& op = program_.ops[frame.node->first_op + frame.op];
        if (ok) contained(frame, program_.contains[op.part], frame.i - 1);
        return;
    }
    case OpKind::any_of:
    case OpKind::one_of:
        return alternative(frame, ok);
    case OpKind::not_:
    case OpKind::if_:
        frame.count = ok ? 1 : 0;
        return;
    default:
        if (!ok) fail(frame);
    }
}

void Machine::dynamic(Frame& frame, const Op& op) {
    const auto& part = program_.dynamics[op.part];
    auto target = part.fallback;
    // The outermost resource on the way here that has the anchor decides.
    std::uint32_t last = no_node;
    for (const auto& below : scratch_.frames) {
        auto resource = below.node->resource;
        ++steps_;
        if (resource == last) continue;
        last = resource;
        auto found = std::find_if(part.by_resource.begin(), part.by_resource.end(),
                                  [&](const auto& entry) { return entry.first == resource; });
        if (found == part.by_resource.end()) continue;
        target = found->second;
        break;
    }
    next(frame);
    settle(frame, apply(target, *frame.value, {}, frame.collects, OpKind::apply));
}

void Machine::report(const Node& node, std::string_view keyword, Place place, std::string message) {
    auto [pointer, fresh] = pointers_.try_emplace(node.schema);
    if (fresh) pointer->second = pointer_of(program_.documents, *node.schema);
    auto schema_pointer =
        keyword.empty() ? pointer->second : pointer_append(pointer->second, keyword);
    violations_->push_back(
        {instance_pointer(place), std::move(schema_pointer), std::move(message)});
}

std::string Machine::instance_pointer(Place place) const {
    std::string pointer;
    auto append = [&](const Json& parent, Link link, std::uint32_t index) {
        if (link == Link::element) pointer = pointer_append(pointer, std::size_t{index});
        if (link == Link::member) pointer = pointer_append(pointer, key_at(parent, index));
    };
    const Json* parent = nullptr;
    for (const auto& frame : scratch_.frames) {
        if (parent) append(*parent, frame.link, frame.index);
        parent = frame.value;
    }
    if (parent) append(*parent, place.link, place.index);
    return pointer;
}

void Machine::give_up(std::string why) {
    gave_up_ = true;
    if (violations_)
        surrender_ = {instance_pointer({}), "", "schema_too_complex: " + std::move(why)};
}

} // namespace foxwedge::schema
