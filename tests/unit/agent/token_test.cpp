// How far our estimate of tokens is from what others count: the providers that were recorded, and a
// tokenizer for what the recordings lack.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "agent/context/tokens.hpp"
#include "base/text.hpp"
#include "node_peers.hpp"
#include "shared_data.hpp"
#include "wire_requests.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;

namespace {

struct Estimate {
    std::string exchange;
    std::int64_t ours = 0, theirs = 0;
    double error() const {
        return static_cast<double>(ours - theirs) / static_cast<double>(theirs);
    }
};

/// Every exchange of text and own tools whose input was counted. The vendors' own tools bring texts
/// along that no request shows, pictures are counted by their size.
std::vector<Estimate> estimates(const std::filesystem::path& wire) {
    std::vector<Estimate> out;
    const Json index = *parse_json(test::read_file(wire / "INDEX.json"));
    for (const Json& one : index.get_array()) {
        const std::string file(*string_member(one, "file"));
        const Json exchange = *parse_json(test::read_file(wire / file));
        const auto expected = parse_json(test::read_file(wire / "expected" / file));
        const Json* usage = expected ? member(*expected, "usage") : nullptr;
        if (!usage || !usage->is_object()) continue;
        const auto request = test::request_of_exchange(exchange);
        std::int64_t counted = integer_member(*usage, "input").value_or(0);
        if (string_member(exchange, "provider") == "anthropic")
            counted += integer_member(*usage, "cache_read").value_or(0) +
                       integer_member(*usage, "cache_write").value_or(0);
        if (!request || counted == 0) continue;
        out.push_back({file, estimated_tokens(*request), counted});
    }
    return out;
}

/// What GPT-4o's tokenizer counts; nothing where Node is not installed.
std::optional<std::vector<std::int64_t>>
counted_by_tokenizer(const std::vector<std::string>& texts) {
    const auto peer = test::node_peer("count-tokens.mjs");
    if (!peer || !test::node_peer("node_modules/gpt-tokenizer/package.json")) return std::nullopt;
    JsonArray asked;
    for (const std::string& text : texts) asked.push_back(Json(text));
    const auto file = std::filesystem::temp_directory_path() /
                      ("foxwedge-tokens-" + std::to_string(::getpid()) + ".json");
    std::ofstream(file) << to_text(Json(asked));
    const std::string command =
        "'" + peer->node + "' '" + peer->script + "' < '" + file.string() + "'";
    std::string answer;
    if (FILE* pipe = ::popen(command.c_str(), "r")) {
        char bytes[4096];
        while (const std::size_t got = std::fread(bytes, 1, sizeof bytes, pipe))
            answer.append(bytes, got);
        ::pclose(pipe);
    }
    std::filesystem::remove(file);
    const auto counts = parse_json(answer);
    BOOST_REQUIRE_MESSAGE(counts && counts->is_array(), "the tokenizer said: " << answer);
    std::vector<std::int64_t> out;
    for (const Json& count : counts->get_array()) out.push_back(count.to_number<std::int64_t>());
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(token_estimates)

BOOST_AUTO_TEST_CASE(half_of_the_recorded_requests_are_estimated_to_within_15_percent) {
    const auto wire = test::shared_data("wire");
    if (!wire) return;
    auto all = estimates(*wire);
    BOOST_REQUIRE(all.size() >= 30u);
    std::sort(all.begin(), all.end(), [](const Estimate& a, const Estimate& b) {
        return std::abs(a.error()) < std::abs(b.error());
    });
    for (const Estimate& one : all)
        BOOST_TEST_MESSAGE(one.exchange << ": estimated " << one.ours << ", counted " << one.theirs
                                        << " (" << std::lround(one.error() * 100) << " %)");
    const auto at = [&](std::size_t percent) {
        return std::abs(all[std::min(all.size() - 1, all.size() * percent / 100)].error()) * 100;
    };
    std::printf("token estimate over %zu recorded requests: error median %.1f %%, 75th percentile "
                "%.1f %%, 90th %.1f %%\n",
                all.size(), at(50), at(75), at(90));
    BOOST_TEST(at(50) < 15.0);
}

// What the recordings lack. B58.
BOOST_AUTO_TEST_CASE(scripts_and_code_are_between_four_fifths_and_twice_of_a_tokenizers_count) {
    const std::pair<const char*, const char*> texts[] = {
        {"Japanese",
         "注文番号と一緒に破損した部分の写真を送ってください。返金は三営業日以内に処理されます。"
         "ご不便をおかけして申し訳ございません。お客様のアカウントを確認いたしました。"},
        {"Chinese", "请把订单号和损坏部分的照片一起发给我们。退款将在三个工作日内处理完毕。"
                    "给您带来不便，我们深表歉意。我们已经核实了您的账户信息。"},
        {"Korean", "주문 번호와 함께 파손된 부분의 사진을 보내 주십시오. 환불은 영업일 기준 사흘 "
                   "안에 처리됩니다. "
                   "불편을 드려 죄송합니다. 고객님의 계정을 확인했습니다."},
        {"emoji", "👍 Thanks! 🎉🎉 See you 👨‍👩‍👧‍👦 soon 🚀🔥 ❤️ "
                  "😀😃😄 "
                  "🇩🇪🇯🇵 "
                  "✅"},
        {"C++", "for (std::size_t i = 0; i < groups.size(); ++i) {\n    const auto tokens = "
                "estimated_tokens(groups[i].assistant);\n    if (tokens > budget) return i;\n}\n"},
        {"Python",
         "def refund(order_id: str, amount: float) -> dict:\n    order = orders[order_id]\n"
         "    if amount > order.total:\n        raise ValueError(f\"too much: {amount}\")\n"
         "    return {\"id\": order_id, \"amount\": amount}\n"},
        {"JSON",
         R"({"orders":[{"id":"A-1001","total":1500.5,"items":[{"sku":"desk-07","count":1}]},)"
         R"({"id":"A-1002","total":49.9,"items":[{"sku":"lamp-3","count":2}]}]})"},
        {"English",
         "Please send us the order number together with a photograph of the damaged part. "
         "The refund will be processed within three working days."},
        {"German",
         "Bitte senden Sie uns die Bestellnummer zusammen mit einem Foto des beschädigten "
         "Teils. Die Rückerstattung erfolgt innerhalb von drei Werktagen."},
        {"Russian",
         "Пришлите нам, пожалуйста, номер заказа вместе с фотографией повреждённой детали. "
         "Возврат средств будет обработан в течение трёх рабочих дней."},
        {"Arabic", "يرجى إرسال رقم الطلب مع صورة للجزء التالف. ستتم معالجة المبلغ المسترد في غضون "
                   "ثلاثة أيام عمل."},
        {"numbers",
         "2026-11-30T03:54:33Z 1790000000000 0.30000000000000004 192.168.100.254 #1a2b3c"},
    };
    std::vector<std::string> all;
    for (const auto& [name, text] : texts) all.emplace_back(text);
    const auto counted = counted_by_tokenizer(all);
    if (!counted) return;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double share =
            static_cast<double>(estimated_tokens(all[i])) / static_cast<double>((*counted)[i]);
        BOOST_TEST_MESSAGE(texts[i].first << ": " << share);
        BOOST_TEST(share >= 0.8, texts[i].first << " " << share);
        BOOST_TEST(share <= 2.0, texts[i].first << " " << share);
    }
}

BOOST_AUTO_TEST_SUITE_END()
