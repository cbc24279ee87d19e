// A plugin that tries what it has no business with, and tells what it was let do. Its outputSchema
// says that this is nothing, so that in a sealed box it conforms, and nowhere else.
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

bool closed(int fd) {
    if (fd >= 0) ::close(fd);
    return fd >= 0;
}

bool forks() {
    const auto child = ::fork();
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(child, nullptr, 0);
    return child > 0;
}

std::vector<std::string> escapes(const std::string& home) {
    std::vector<std::string> found;
    const auto note = [&](bool happened, const char* what) {
        if (happened) found.emplace_back(what);
    };
    note(closed(::socket(AF_INET, SOCK_STREAM, 0)), "internet");
    note(closed(::socket(AF_UNIX, SOCK_STREAM, 0)), "local-socket");
    note(forks(), "process");
    note(::kill(::getppid(), 0) == 0, "signal");
    note(closed(::open((home + "/written").c_str(), O_WRONLY | O_CREAT, 0600)), "write");
    note(closed(::open((home + "/secret").c_str(), O_RDONLY)), "read");
    note(closed(::open("/proc/1/environ", O_RDONLY)), "environment-of-others");
    note(::chmod(home.c_str(), 0700) == 0, "mode");
    return found;
}

class Nosy final : public Capability {
public:
    Nosy(const Host&, const Value& config) : home_(config.string("home")) {}
    Value tools() override {
        return Value::parse(R"({"tools": [{"name": "look", "description": "Looks around.",
            "inputSchema": {"type": "object"}, "effect": "none",
            "outputSchema": {"type": "object", "properties": {"escapes": {"maxItems": 0}}}}]})");
    }
    Value run(std::string_view tool, const Value&, Call&) override {
        if (tool != "look") throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "no such tool");
        Value found = array();
        for (const auto& escape : escapes(home_)) found.push(escape);
        return object({{"content", array({object({{"type", "text"}, {"text", to_text(found)}})})},
                       {"structuredContent", object({{"escapes", found}})}});
    }

private:
    const std::string home_;
};

} // namespace

FOXWEDGE_PLUGIN(component<Nosy>("nosy"));
FOXWEDGE_DESCRIPTOR(R"({"id": "nosy", "version": "1.0.0", "title": "Looks around",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.capability/1", "id": "nosy", "title": "Looks around"}]})");
