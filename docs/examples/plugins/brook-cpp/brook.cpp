// A provider in forty lines. The kit sends, frames the stream, reads refusals, gives up on stalls
// and on answers without an end; what is left is the wire format of one vendor.
#include <foxwedge/plugin.hpp>
#include <foxwedge/provider_kit/exchange.hpp>
using namespace foxwedge::plugin;

struct Reader : provider_kit::Decoder {
    explicit Reader(const Call& call) : call_(call) {}
    bool event(std::string_view, std::string_view data) override {
        const Value piece = provider_kit::parse_answer(data);
        if (piece.find("done")) last_ = piece;
        if (const auto text = piece.string("text"); !text.empty()) call_.emit_answer(text);
        text_ += piece.string("text");
        return true;
    }
    void whole(const Value& body) override { event("", to_text(body)); }
    bool ended() const override { return last_.is_object(); }
    Value result() override {
        if (!ended()) throw provider_kit::cut_off("the brook ran dry");
        return provider_kit::text_answer(text_, last_["usage"], last_["model"]);
    }
    const Call& call_;
    std::string text_;
    Value last_;
};

struct Brook : Provider {
    Brook(const Host& host, const Value& config)
        : http_(host.http()), url_(config.string("url", "https://brook.example/v1")) {}
    Value describe() override { return provider_kit::text_traits(); }
    Value generate(const Value& request, Call& call) override {
        Reader reader(call);
        Value post = object({{"method", "POST"}, {"url", url_}, {"body", to_text(request)}});
        const Value key = object({{"secret", "BROOK_KEY"}, {"prefix", "Bearer "}});
        post.set("headers", object({{"authorization", key}}));
        return provider_kit::exchange(http_, call, post, reader, std::chrono::minutes(2));
    }
    const Http http_;
    const std::string url_;
};
FOXWEDGE_PLUGIN(component<Brook>("brook"));
FOXWEDGE_DESCRIPTOR(R"({"id": "provider-brook", "version": "1.0.0", "title": "Brook",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.provider/1", "id": "brook", "title": "Brook", "secrets": ["BROOK_KEY"],
         "transcriptFormat": "brook"}]})");
