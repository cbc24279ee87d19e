// What a search costs in a large store, through the plugin: bench-knowledge FOLDER PLUGINS
// DOCUMENTS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include <time.h>

#include "agent/services/run_store.hpp"
#include "foxwedge.hpp"

namespace {

using namespace foxwedge;
using Watch = std::chrono::steady_clock;

double milliseconds_since(Watch::time_point start) {
    return std::chrono::duration<double, std::milli>(Watch::now() - start).count();
}

/// Processor time of the whole process: other programs on the machine do not count.
double cpu_milliseconds() {
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

[[noreturn]] void give_up(const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
    std::exit(1);
}

/// Texts whose words are as common as words are: the n-th occurs about 1/n as often as the first.
class Texts {
public:
    std::string words(int count) {
        std::string out;
        for (int n = 0; n < count; ++n) {
            const double rank = std::exp(unit_(random_) * std::log(200'000.0));
            out += "word" + std::to_string(static_cast<int>(rank)) + ' ';
        }
        return out;
    }
    std::string document(int number) {
        static const char* const places[] = {"北京", "上海", "広州", "서울", "東京"};
        return words(30) + "客户在" + places[number % 5] + "申请退款" + std::to_string(number);
    }

private:
    std::mt19937 random_{5}; // NOLINT: the same texts each time
    std::uniform_real_distribution<double> unit_{0, 1};
};

void fill(journal::Engine& engine, int documents) {
    constexpr int batch = 500;
    const auto collection = journal::collection_name("capability-knowledge", "project", "bench");
    Texts texts;
    for (int done = 0; done < documents;) {
        std::vector<journal::Effect> effects;
        for (int n = 0; n < batch && done < documents; ++n, ++done) {
            journal::Effect put;
            put.collection = collection;
            put.key = "document/d" + std::to_string(done);
            put.value_json =
                to_text(JsonObject{{"title", texts.words(4)}, {"markdown", texts.document(done)}});
            effects.push_back(std::move(put));
        }
        const auto verdict = engine.apply(effects);
        if (!verdict) give_up(verdict.error());
    }
}

class Searches {
public:
    explicit Searches(compose::Host& host) : host_(host) {
        auto source = host.world().capability("workflow-knowledge");
        if (!source) give_up(source.error());
        source_ = *source;
    }

    /// Milliseconds, and how many were found; what was answered, if that is wanted.
    std::pair<double, std::size_t> search(const std::string& query, const std::string& cursor = {},
                                          Json* answer = nullptr) {
        Call call;
        call.scope.project = "bench";
        agent::RunStore store(host_.world().store, call.scope, false);
        call.store = &store;
        JsonObject arguments{{"action", "search"}, {"query", query}, {"limit", 20}};
        if (!cursor.empty()) arguments["cursor"] = cursor;
        const auto text = to_text(arguments);
        const auto start = Watch::now();
        const auto result = source_->run("knowledge_documents", text, call);
        const auto took = milliseconds_since(start);
        if (!result) give_up(result.error());
        const auto* hits =
            result->structured ? array_member(*result->structured, "documents") : nullptr;
        if (!hits) give_up(permanent("failed", to_text(result->content)));
        if (answer) *answer = *result->structured;
        return {took, hits->size()};
    }

private:
    compose::Host& host_;
    std::shared_ptr<ToolSource> source_;
};

/// `count` words, from the one of that rank on.
std::string words(int rank, int count) {
    std::string out;
    for (int n = 0; n < count; ++n) out += "word" + std::to_string(rank + n) + ' ';
    return out;
}

/// The cursor of the page that begins at hit `offset`: that of the second page with another figure.
std::string cursor_at(Searches& searches, const std::string& query, int offset) {
    Json answer;
    searches.search(query, {}, &answer);
    const std::string second(string_member(answer, "cursor").value_or(""));
    const auto figure = second.find_first_of("0123456789");
    if (figure == second.npos) give_up(permanent("failed", "there is one page alone"));
    return second.substr(0, figure) + std::to_string(offset) + second.substr(second.find('.'));
}

void measure(Searches& searches, const char* what, const std::string& query,
             const std::string& cursor = {}) {
    std::vector<double> times;
    std::size_t found = 0;
    constexpr int rounds = 15;
    const auto cpu = cpu_milliseconds();
    for (int n = 0; n < rounds; ++n) {
        const auto [took, hits] = searches.search(query, cursor);
        times.push_back(took);
        found = hits;
    }
    const auto cpu_each = (cpu_milliseconds() - cpu) / rounds;
    std::sort(times.begin(), times.end());
    std::printf(R"({"search":"%s","hits":%zu,"medianMs":%.2f,"worstMs":%.2f,"cpuMs":%.2f})"
                "\n",
                what, found, times[times.size() / 2], times.back(), cpu_each);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const std::string folder = argv[1];
    const int documents = std::atoi(argv[3]);
    const auto config = folder + ".json";
    std::ofstream(config) << R"({"name": "bench", "journal": {"path": ")" << folder
                          << R"(", "durability": "relaxed"}, "plugins": {"path": [")" << argv[2]
                          << R"("]}})";
    auto loaded = config::load(config);
    if (!loaded.config) return 2;
    auto host = compose::Host::make(*std::move(loaded.config), {});
    if (!host) give_up(host.error());
    auto start = Watch::now();
    fill((*host)->engine(), documents);
    std::printf(R"({"documents":%d,"storeSeconds":%.1f})"
                "\n",
                documents, milliseconds_since(start) / 1000);
    Searches searches(**host);
    start = Watch::now();
    searches.search("word9");
    std::printf(R"({"documents":%d,"indexSeconds":%.1f})"
                "\n",
                documents, milliseconds_since(start) / 1000);
    measure(searches, "a rare word", "word150001");
    measure(searches, "a word in some documents", "word300");
    measure(searches, "the most common word", "word1");
    measure(searches, "two common words", "word1 word2");
    measure(searches, "a common and a rare word", "word1 word9000");
    measure(searches, "Chinese, in every document", "申请退款");
    measure(searches, "Chinese, in a fifth of them", "北京申请");
    measure(searches, "words that no document has all of", "word150001 word9001 word1");
    measure(searches, "the 32 most common words", words(1, 32));
    measure(searches, "32 words in some documents", words(300, 32));
    measure(searches, "32 rarer words", words(900, 32));
    measure(searches, "32 rare words", words(20'000, 32));
    measure(searches, "the most common word, a page far in", "word1",
            cursor_at(searches, "word1", documents * 2 / 5));
    return 0;
}
