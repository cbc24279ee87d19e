// Runs a libFuzzer target as a test: every file of a corpus, then that many mutations of them.
//   fuzz-… CORPUS ROUNDS [SEED]    the same seed gives the same inputs; a crash leaves its input in
//                                  the file crash-input
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t largest = 16 * 1024;
const char* current = nullptr; // of the input that runs now, for the signal handler
std::size_t current_size = 0;

void keep_input(int signal) {
    const int fd = ::open("crash-input", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (fd >= 0) (void)!::write(fd, current, current_size);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(const std::string& input) {
    current = input.data();
    current_size = input.size();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

class Mutator {
public:
    Mutator(std::vector<std::string> corpus, std::uint64_t seed)
        : corpus_(std::move(corpus)), chance_(seed) {}

    std::string next() {
        std::string input = corpus_[below(corpus_.size())];
        for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(input);
        if (input.size() > largest) input.resize(largest);
        return input;
    }

private:
    void change(std::string& input) {
        const std::size_t at = input.empty() ? 0 : below(input.size());
        const std::size_t length = std::min(1 + below(32), input.size() - at);
        switch (below(6)) {
        case 0:
            if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
            break;
        case 1:
            input.insert(at, 1, static_cast<char>(below(256)));
            break;
        case 2:
            input.erase(at, length);
            break;
        case 3:
            input.insert(at, input.substr(at, length));
            break;
        case 4:
            input.insert(at, words_[below(std::size(words_))]);
            break;
        default:
            const std::string& other = corpus_[below(corpus_.size())];
            input = input.substr(0, at) + other.substr(other.empty() ? 0 : below(other.size()));
        }
    }
    std::size_t below(std::size_t limit) { return chance_() % limit; }

    static constexpr const char* words_[] = {"\n",           "\r\n",
                                             "{\"id\":",     "\"jsonrpc\":\"2.0\"",
                                             "[[[[[[[[",     "null",
                                             "-0",           "1e999",
                                             "\xef\xbb\xbf", "\xc3\x28",
                                             "data: ",       "id: ",
                                             "retry: 9\n",   "event: x\n",
                                             "\"_meta\":{",  "\\ud800",
                                             "=?base64?",    "18446744073709551616"};
    const std::vector<std::string> corpus_;
    std::mt19937_64 chance_;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    std::vector<std::string> corpus;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    if (corpus.empty()) {
        std::fprintf(stderr, "no files in %s\n", argv[1]);
        return 2;
    }
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, keep_input);
    for (const auto& input : corpus) run(input);
    Mutator mutator(corpus, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    const long rounds = std::atol(argv[2]);
    for (long i = 0; i < rounds; ++i) run(mutator.next());
    std::printf("%zu files, %ld mutations\n", corpus.size(), rounds);
    return 0;
}
