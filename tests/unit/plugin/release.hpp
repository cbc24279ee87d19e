// Lets go what exhibits hold (tests/support/museum/release.hpp).
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace plugin_tests {

/// One per test: what waits is held while it lives, and let go at its end at the latest.
class Release {
public:
    Release() { clear(); }
    ~Release() { let_go(); }
    Release(const Release&) = delete;

    void let_go() { std::ofstream(place().path).put('\n'); }

    /// Waits for what an exhibit tells once it is let go.
    std::string told() const {
        for (std::string word;; std::this_thread::yield())
            if (std::getline(std::ifstream(place().path + ".told"), word) && !word.empty())
                return word;
    }

private:
    /// The same for the whole process: threads that were left behind go on looking at it.
    struct Place {
        const std::string path =
            (std::filesystem::temp_directory_path() / "foxwedge-release-").string() +
            std::to_string(::getpid());
        Place() { ::setenv("FOXWEDGE_MUSEUM_RELEASE", path.c_str(), 1); }
        ~Place() { clear(*this); }
    };
    static const Place& place() {
        static const Place place;
        return place;
    }
    static void clear(const Place& place) {
        ::unlink(place.path.c_str());
        ::unlink((place.path + ".told").c_str());
    }
    static void clear() { clear(place()); }
};

} // namespace plugin_tests
