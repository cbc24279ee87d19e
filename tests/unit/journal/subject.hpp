// What the conformance suite runs on: a journal of some engine, and processes on it.
#pragma once
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include "base/id.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "journal/lmdb_engine.hpp"
#include "journal/memory_engine.hpp"

namespace foxwedge::journal::test {

/// Time that moves when a test says so.
class ManualClock final : public Clock {
public:
    Time now() const override { return Time(Millis(now_.load())); }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::now();
    }
    void advance(Millis by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_{1'800'000'000'000};
};

class MemorySubject {
public:
    static constexpr const char* name = "memory";
    std::unique_ptr<Engine> process() { return journal_.process("p"); }
    static void kill(Engine& engine) { dynamic_cast<MemoryEngine&>(engine).kill(); }
    ManualClock clock;

private:
    MemoryJournal journal_{clock};
};

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string path = (std::filesystem::temp_directory_path() / "foxwedge-XXXXXX").string();
        path_ = ::mkdtemp(path.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class LmdbSubject {
public:
    static constexpr const char* name = "lmdb";
    std::unique_ptr<Engine> process() {
        JournalOptions options;
        options.path = folder_.path() + "/journal";
        options.clock = &clock;
        options.map_limit = std::size_t{256} << 20;
        auto engine = open_journal(options);
        BOOST_REQUIRE_MESSAGE(engine, (engine ? "" : engine.error().message));
        return *std::move(engine);
    }
    static void kill(Engine& engine) { abandon(engine); }
    ManualClock clock;

private:
    TemporaryFolder folder_;
};

} // namespace foxwedge::journal::test
