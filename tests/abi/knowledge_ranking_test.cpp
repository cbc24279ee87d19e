#define BOOST_TEST_MODULE capability_knowledge_ranking
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <stdlib.h>

#include "plugin_host/action_tool.hpp"

using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

/// What the index has to find, worked out document by document.
struct Text {
    std::map<std::string, double> often; ///< by word; in the title it counts five times
    double length = 0;
    int changed = 0; ///< when
};

/// A store with so many documents that some blocks of the index are closed and some entries are in
/// none, where the n-th word occurs about 1/n as often as the first.
class Library {
public:
    Library() {
        std::string path = (std::filesystem::temp_directory_path() / "knowledge-XXXXXX").string();
        if (!::mkdtemp(path.data())) throw std::runtime_error("no folder");
        host.folder = path;
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { std::filesystem::remove_all(host.folder); }

    void write(int id) {
        const auto title = words(2), markdown = words(1 + pick(30));
        host.store.put("project", "document/d" + std::to_string(id),
                       object({{"title", joined(title)}, {"markdown", joined(markdown)}}));
        Text text;
        for (const auto& word : title) text.often[word] += 5;
        for (const auto& word : markdown) text.often[word] += 1;
        text.length = static_cast<double>(title.size() + markdown.size());
        text.changed = ++changes_;
        texts["d" + std::to_string(id)] = std::move(text);
    }
    void remove(int id) {
        const auto name = "d" + std::to_string(id);
        if (texts.erase(name) == 0) return;
        documents.done(object({{"action", "delete"}, {"documentId", name}}));
    }

    /// Everything that a search finds, page by page.
    std::vector<std::string> found(const std::string& query) {
        std::vector<std::string> ids;
        Value search = object({{"action", "search"}, {"query", query}, {"limit", 200}});
        for (bool more = true; more;) {
            const auto page = documents.done(search);
            for (const Value& hit : page.array("documents"))
                ids.emplace_back(hit.string("documentId"));
            more = page.has("cursor");
            if (more) search.set("cursor", page["cursor"]);
        }
        return ids;
    }

    /// Documents that have all words, or any of them.
    std::set<std::string> fitting(const std::vector<std::string>& asked, bool any) const {
        std::set<std::string> out;
        for (const auto& [id, text] : texts) {
            std::size_t there = 0;
            for (const auto& word : asked) there += text.often.count(word);
            if (any ? there > 0 : there == asked.size()) out.insert(id);
        }
        return out;
    }

    int pick(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }

    plugin_host::Host host;
    plugin_host::Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    plugin_host::ActionTool documents{host, plugin, "workflow-knowledge", "knowledge_documents"};
    std::map<std::string, Text> texts;

private:
    std::vector<std::string> words(int count) {
        std::vector<std::string> out;
        std::uniform_real_distribution<double> unit(0, std::log(2000.0));
        for (int n = 0; n < count; ++n)
            out.push_back("w" + std::to_string(static_cast<int>(std::exp(unit(random_)))));
        return out;
    }
    static std::string joined(const std::vector<std::string>& words) {
        std::string out;
        for (const auto& word : words) out += word + ' ';
        return out;
    }

    std::mt19937 random_{17}; // NOLINT: the same library each time
    int changes_ = 0;
};

/// Words of one question, and its text.
struct Question {
    std::vector<std::string> words;
    std::string text() const {
        std::string out;
        for (const auto& word : words) out += word + ' ';
        return out;
    }
};

/// BM25, by the book.
class Scores {
public:
    Scores(const Library& library, const Question& question)
        : library_(library), question_(question) {
        const auto all = static_cast<double>(library.texts.size());
        for (const auto& each : library.texts) average_ += each.second.length / all;
        for (const auto& word : question.words) {
            const auto having = static_cast<double>(library.fitting({word}, false).size());
            rarities_.push_back(std::log(1 + (all - having + 0.5) / (having + 0.5)));
        }
    }
    double of(const std::string& id) const {
        const auto& text = library_.texts.at(id);
        const double stretch = 1.2 * (1 - 0.75 + 0.75 * text.length / average_);
        double out = 0;
        for (std::size_t n = 0; n < question_.words.size(); ++n)
            if (const auto at = text.often.find(question_.words[n]); at != text.often.end())
                out += rarities_[n] * 2.2 * at->second / (at->second + stretch);
        return out;
    }

private:
    const Library& library_;
    const Question& question_;
    double average_ = 0;
    std::vector<double> rarities_;
};

/// That exactly the fitting ones are found, each once.
void check_what(const Library& library, const Question& question,
                const std::vector<std::string>& found) {
    auto fitting = library.fitting(question.words, false);
    if (fitting.empty()) fitting = library.fitting(question.words, true);
    BOOST_TEST((std::set<std::string>(found.begin(), found.end()) == fitting), question.text());
    BOOST_TEST(found.size() == fitting.size(), question.text());
}

/// That none comes before a better one, nor before an equal one that was changed after it.
void check_order(const Library& library, const Question& question,
                 const std::vector<std::string>& found) {
    constexpr double close = 1e-5; // the index counts in single precision
    const Scores scores(library, question);
    for (std::size_t n = 1; n < found.size(); ++n) {
        const auto before = scores.of(found[n - 1]), here = scores.of(found[n]);
        BOOST_TEST(here <= before + close, question.text() << found[n - 1] << ' ' << found[n]);
        if (here == before)
            BOOST_TEST(library.texts.at(found[n]).changed < library.texts.at(found[n - 1]).changed,
                       question.text() << found[n - 1] << ' ' << found[n]);
    }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_search, Library)

BOOST_AUTO_TEST_CASE(ranks_every_document_that_fits) {
    for (int id = 0; id < 12'000; ++id) write(id);
    const Question questions[] = {{{"w1"}},
                                  {{"w2"}},
                                  {{"w7"}},
                                  {{"w60"}},
                                  {{"w900"}},
                                  {{"w1", "w2"}},
                                  {{"w1", "w300"}},
                                  {{"w1", "w2", "w3", "w4"}},
                                  {{"w1500", "w1600", "w1"}},
                                  {{"w5000"}}};
    for (const auto& question : questions) {
        const auto ids = found(question.text());
        check_what(*this, question, ids);
        check_order(*this, question, ids);
    }
}

BOOST_AUTO_TEST_CASE(follows_documents_that_change_and_go_whatever_block_they_are_in) {
    for (int id = 0; id < 10'000; ++id) write(id);
    BOOST_TEST(!found("w1").empty());
    for (int id = 0; id < 8'500; ++id) write(id); // nothing is left of the first block
    for (int n = 0; n < 300; ++n) remove(pick(10'000));
    for (const Question& question : {Question{{"w1"}}, {{"w3"}}, {{"w900"}}}) {
        const auto ids = found(question.text());
        check_what(*this, question, ids);
        check_order(*this, question, ids);
    }
    // How rare a word is counts those that have gone, so that only what is found is known.
    for (const Question& question : {Question{{"w1", "w2"}}, {{"w1500", "w1600", "w1"}}})
        check_what(*this, question, found(question.text()));
}

BOOST_AUTO_TEST_SUITE_END()
