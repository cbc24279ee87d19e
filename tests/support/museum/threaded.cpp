// A plugin with threads of its own: a verb hands its work to them, and they use the store for it.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

class Workers {
public:
    Workers() {
        for (int n = 0; n < 4; ++n) threads_.emplace_back([this] { run(); });
    }
    ~Workers() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        changed_.notify_all();
        for (auto& thread : threads_) thread.join();
    }
    void add(std::function<void()> work) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            work_.push(std::move(work));
        }
        changed_.notify_one();
    }

private:
    void run() {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            changed_.wait(lock, [this] { return closing_ || !work_.empty(); });
            if (work_.empty()) return;
            auto work = std::move(work_.front());
            work_.pop();
            lock.unlock();
            work();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> work_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

class Threaded final : public Capability {
public:
    Threaded(const Host& host, const Value&) : store_(host.store()) {}
    Value tools() override {
        return Value::parse(
            R"({"tools": [{"name": "count", "description": "Adds from many threads.",
            "inputSchema": {"type": "object"}, "effect": "store"}]})");
    }
    Value run(std::string_view, const Value&, Call& call) override {
        constexpr int parts = 16;
        std::mutex mutex;
        std::condition_variable done;
        int left = parts, failed = 0;
        for (int n = 0; n < parts; ++n)
            workers_.add([&] {
                const bool fine = add_one(call);
                std::lock_guard<std::mutex> lock(mutex);
                failed += !fine;
                if (--left == 0) done.notify_all();
            });
        std::unique_lock<std::mutex> lock(mutex);
        done.wait(lock, [&] { return left == 0; });
        const auto text = std::to_string(parts - failed);
        return object({{"content", array({object({{"type", "text"}, {"text", text}})})}});
    }

private:
    bool add_one(Call& call) {
        const Value ops =
            Value::parse(R"([{"op": "add", "scope": "project", "key": "count", "by": 1}])");
        try {
            store_.apply(call, ops).value();
            return true;
        } catch (...) {
            return false;
        }
    }
    const Store store_;
    Workers workers_;
};

} // namespace

FOXWEDGE_PLUGIN(component<Threaded>("threaded"));
FOXWEDGE_DESCRIPTOR(R"({"id": "threaded", "version": "1.0.0", "title": "Threads",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.capability/1", "id": "threaded", "title": "Threads"}]})");
