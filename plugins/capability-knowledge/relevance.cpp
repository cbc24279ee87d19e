#include "relevance.hpp"

#include <cmath>
#include <vector>

#include "tokenizer.hpp"

namespace knowledge {

namespace {

// The usual constants of BM25, and what a word in the title is worth.
constexpr double k1 = 1.2, b = 0.75, title_weight = 5;
constexpr int title_column = 0;

/// Weighted occurrences of each phrase in the current document.
int count(const Fts5ExtensionApi* api, Fts5Context* fts, std::vector<double>& frequency) {
    int instances = 0;
    if (const int result = api->xInstCount(fts, &instances)) return result;
    for (int n = 0; n < instances; ++n) {
        int phrase = 0, column = 0, offset = 0;
        if (const int result = api->xInst(fts, n, &phrase, &column, &offset)) return result;
        frequency[static_cast<std::size_t>(phrase)] += column == title_column ? title_weight : 1;
    }
    return SQLITE_OK;
}

void relevance(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int given,
               sqlite3_value** rarities) {
    std::vector<double> frequency(static_cast<std::size_t>(api->xPhraseCount(fts)));
    sqlite3_int64 documents = 1, words = 1;
    int length = 0;
    for (const int result :
         {count(api, fts, frequency), api->xRowCount(fts, &documents),
          api->xColumnTotalSize(fts, -1, &words), api->xColumnSize(fts, -1, &length)})
        if (result != SQLITE_OK) return sqlite3_result_error_code(context, result);
    const double average = static_cast<double>(words) / static_cast<double>(documents);
    const double stretch = k1 * (1 - b + b * length / average);
    double score = 0;
    for (std::size_t n = 0; n < frequency.size() && n < static_cast<std::size_t>(given); ++n)
        score +=
            sqlite3_value_double(rarities[n]) * frequency[n] * (k1 + 1) / (frequency[n] + stretch);
    sqlite3_result_double(context, score);
}

} // namespace

void add_relevance(Database& database) {
    fts5_api* fts5 = fts5_of(database);
    const int result = fts5->xCreateFunction(fts5, "relevance", nullptr, relevance, nullptr);
    if (result != SQLITE_OK) throw SqlError(result, "the ranking cannot be added");
}

double rarity(std::int64_t having, std::int64_t all) {
    const auto with = static_cast<double>(having), total = static_cast<double>(all);
    return std::log(1 + (total - with + 0.5) / (with + 0.5));
}

} // namespace knowledge
