// Keeps credentials from passing by, with the host's detector. What it says names kind and place,
// never the secret.
#include <algorithm>
#include <set>
#include <vector>

#include <foxwedge/plugin.hpp>

#include "common/subject.hpp"

using namespace foxwedge::plugin;
using namespace guardrail_kit;

namespace {

constexpr std::string_view gap = "\n\n"; // between two texts: nothing that belongs to a token
constexpr std::size_t max_named = 10;    // places that the message names

/// One text of the subject, and where it lies among all of them.
struct Piece {
    std::string pointer;
    bool is_name = false;
    std::size_t from = 0, size = 0;
};

struct Found {
    std::string kind;
    std::size_t from = 0, to = 0;
};

const std::string& text_of(const Value& value) {
    return value.string();
}
const std::string& text_of(const std::string& name) {
    return name;
}

} // namespace

class Secrets : public Guardrail {
public:
    static constexpr bool concurrent = true;

    Secrets(const Host& host, const Value& config)
        : Guardrail(every_placement), judge_(host.check()),
          masks_(config.string("action") == "mask") {
        for (const Value& kind : config.array("allowKinds")) allowed_.insert(kind.string());
    }

    Value check(std::uint32_t placement, const Value& subject, Call& call) override {
        const Value& passing_by = subject[passing(placement)];
        std::string all;
        std::vector<Piece> pieces;
        texts(passing_by, "", [&](const auto& text, const std::string& pointer, bool is_name) {
            pieces.push_back({pointer, is_name, all.size(), text_of(text).size()});
            (all += text_of(text)) += gap;
        });
        const auto found = find(all, call);
        if (found.empty()) return object({{"action", "allow"}});
        if (masks_) {
            Value masked = passing_by;
            if (mask(masked, pieces, found))
                return object({{"action", "replace"},
                               {"value", std::move(masked)},
                               {"reason", told(pieces, found)}});
        }
        return object({{"action", "deny"}, {"message", told(pieces, found)}});
    }

private:
    std::vector<Found> find(const std::string& all, const Call& call) const {
        const Value answer = judge_.find_secrets(call.raw(), all).value();
        if (!answer["secrets"].is_array())
            throw Failure(FOXWEDGE_E_INTERNAL, "internal", "the host's detector gave no answer");
        std::vector<Found> found;
        for (const Value& secret : answer["secrets"].array()) {
            const std::string kind(secret.string("kind", "secret"));
            if (allowed_.count(kind) > 0) continue;
            found.push_back({kind, static_cast<std::size_t>(secret["from"].integer()),
                             static_cast<std::size_t>(secret["to"].integer())});
        }
        return found;
    }

    static bool touches(const Piece& piece, const Found& secret) {
        return secret.from < piece.from + piece.size && secret.to > piece.from;
    }

    static std::string told(const std::vector<Piece>& pieces, const std::vector<Found>& found) {
        std::set<std::string> places; // in order, each once
        for (const Found& secret : found)
            for (const Piece& piece : pieces)
                if (touches(piece, secret))
                    places.insert(secret.kind + " at " +
                                  (piece.is_name ? "the name of a member" : piece.pointer));
        std::string out = "This looks like a secret and may not pass:";
        std::size_t n = 0;
        for (const auto& place : places) {
            if (n++ == max_named) return out + "\n- and more";
            out += "\n- " + place;
        }
        return out;
    }

    /// False where a name would have to be masked: that would change what the value means.
    static bool mask(Value& value, const std::vector<Piece>& pieces,
                     const std::vector<Found>& found) {
        std::size_t n = 0;
        bool possible = true;
        const auto masked = [&](auto& text, const std::string&, bool is_name) {
            const Piece& piece = pieces[n++];
            std::string out = text_of(text);
            for (auto secret = found.rbegin(); secret != found.rend(); ++secret) {
                if (!touches(piece, *secret)) continue;
                if (is_name) possible = false;
                const auto from = std::max(secret->from, piece.from) - piece.from;
                const auto to = std::min(secret->to, piece.from + piece.size) - piece.from;
                out.replace(from, to - from, "[secret: " + secret->kind + "]");
            }
            if (!is_name) text = std::move(out);
        };
        texts(value, "", masked);
        return possible;
    }

    const Check judge_;
    const bool masks_;
    std::set<std::string> allowed_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<Secrets>("secrets"));
