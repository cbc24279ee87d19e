// The machine's way through alternatives, conditions and what they left unjudged.
#include "schema/explain.hpp"
#include "schema/machine_scratch.hpp"

namespace foxwedge::schema {

void Machine::alternatives(Frame& frame, const Op& op) {
    bool one = op.kind == OpKind::one_of;
    if (frame.i == 0 && frame.collects)
        frame.mark = static_cast<std::uint32_t>(violations_->size());
    while (frame.i < op.count) {
        // All are tried where their notes count; two that match decide oneOf.
        if (one ? frame.count > 1 : frame.count > 0 && !frame.notes) break;
        auto target = program_.targets[op.first + frame.i++];
        auto verdict = apply(target, *frame.value, {}, frame.collects && frame.count == 0, op.kind);
        if (verdict == Verdict::pending || gave_up_) return;
        alternative(frame, verdict == Verdict::yes);
    }
    bool fits = one ? frame.count == 1 : frame.count > 0;
    if (!fits) {
        if (frame.collects && violations_->size() < most_ + frame.j) {
            auto before = violations_->size();
            report(*frame.node, one ? "oneOf" : "anyOf", {},
                   explain::alternatives(frame.count, op.count, frame.j > 0));
            // First the whole, then what the nearest alternative lacks.
            std::rotate(violations_->begin() + frame.mark,
                        violations_->begin() + static_cast<std::ptrdiff_t>(before),
                        violations_->end());
        }
        fail(frame);
        if (!frame.collects) return;
    }
    next(frame);
}

/// One alternative has been judged. Of those that fail, the violations of the one with the fewest
/// are kept: the value was most likely meant for it.
void Machine::alternative(Frame& frame, bool ok) {
    bool first_match = ok && frame.count == 0;
    if (ok) ++frame.count;
    if (!frame.collects) return;
    auto size = static_cast<std::uint32_t>(violations_->size());
    auto own = size - frame.mark - frame.j;
    if (first_match || frame.count > 0) {
        violations_->resize(frame.mark);
        frame.j = 0;
    } else if (frame.j == 0 || (own > 0 && own < frame.j)) {
        violations_->erase(violations_->begin() + frame.mark,
                           violations_->begin() + frame.mark + frame.j);
        frame.j = own;
    } else {
        violations_->resize(frame.mark + frame.j);
    }
}

void Machine::not_(Frame& frame, const Op& op) {
    if (frame.i == 0) {
        frame.i = 1;
        auto verdict = apply(program_.targets[op.first], *frame.value, {}, false, OpKind::not_);
        if (verdict == Verdict::pending || gave_up_) return;
        frame.count = verdict == Verdict::yes ? 1 : 0;
    }
    if (frame.count != 0) {
        if (frame.collects && wants())
            report(*frame.node, "not", {}, explain::forbidden(*op.keyword));
        fail(frame);
        if (!frame.collects) return;
    }
    next(frame);
}

void Machine::if_(Frame& frame, const Op& op) {
    if (frame.i == 0) {
        frame.i = 1;
        auto verdict = apply(program_.targets[op.first], *frame.value, {}, false, OpKind::if_);
        if (verdict == Verdict::pending || gave_up_) return;
        frame.count = verdict == Verdict::yes ? 1 : 0;
    }
    auto target = program_.targets[op.first + (frame.count != 0 ? 1 : 2)];
    next(frame);
    if (target == no_node) return;
    settle(frame, apply(target, *frame.value, {}, frame.collects, OpKind::apply));
}

/// Lists the parts of the frame's value that nothing in the frame has judged yet.
void Machine::find_unevaluated(Frame& frame, std::size_t size) {
    auto& seen = scratch_.seen;
    seen.assign(size, 0);
    const auto& notes = scratch_.notes;
    steps_ += notes.size() - frame.noted;
    bool all = false;
    for (std::size_t i = frame.noted; i < notes.size(); ++i) {
        if (notes[i].value != frame.value) continue;
        if (notes[i].index == all_noted)
            all = true;
        else
            seen[notes[i].index] = 1;
    }
    for (std::uint32_t i = 0; i < size && !all; ++i)
        if (!seen[i]) scratch_.pending.push_back(i);
}

void Machine::unevaluated(Frame& frame, const Op& op) {
    bool items = op.kind == OpKind::unevaluated_items;
    if (items ? !frame.value->is_array() : !frame.value->is_object()) return next(frame);
    auto size = items ? frame.value->get_array().size() : frame.value->get_object().size();
    auto target = program_.targets[op.first];
    if (frame.j == 0) {
        frame.j = 1;
        frame.i = frame.mark = static_cast<std::uint32_t>(scratch_.pending.size());
        find_unevaluated(frame, size);
        note(frame, all_noted);
    }
    while (frame.i < scratch_.pending.size()) {
        auto index = scratch_.pending[frame.i++];
        const Json& part = items ? frame.value->get_array()[index]
                                 : frame.value->get_object().begin()[index].value();
        Place place{items ? Link::element : Link::member, index};
        if (program_.nodes[target].never && frame.collects) {
            if (wants())
                report(*frame.node, items ? "unevaluatedItems" : "unevaluatedProperties", place,
                       items ? "no item is allowed here"
                             : explain::unexpected_property(key_at(*frame.value, index)));
            fail(frame);
            continue;
        }
        if (!settle(frame, apply(target, part, place, frame.collects, op.kind))) return;
    }
    scratch_.pending.resize(frame.mark);
    next(frame);
}

} // namespace foxwedge::schema
