// A plugin whose library is mapped and open, and the instances made from it.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include <foxwedge/abi.h>

#include "base/digest.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/file.hpp"
#include "plugin/library.hpp"
#include "plugin/plugin_host.hpp"
#include "plugin/verb_threads.hpp"

namespace foxwedge::plugin {

struct CallLimits {
    Millis grace{5'000};      ///< from a call's cancellation until it is abandoned
    Millis open{10'000};      ///< for a plugin's open
    Millis create{30'000};    ///< for making an instance
    int abandoned_refuse = 3; ///< abandoned calls after which a plugin gets no new work
};

/// What all plugins of a registry share. Outlives them.
struct Runtime {
    Lent lent;
    std::shared_ptr<Masking> masking;
    CallLimits limits;
    /// Another backend than this process's own: inside a box.
    std::function<std::unique_ptr<Backend>(const std::string& plugin_id)> backend;
    /// False inside a box: there the whole process is left behind, so verbs stay on their caller's
    /// thread.
    bool leaves_hanging_calls = true;
    VerbThreads threads;
    std::atomic<int> abandoned{0}; ///< calls left behind in this process by this registry
};

/// An opened plugin. Closed when the last instance is gone; its library stays mapped. After an
/// abandoned call it is not closed at all: code of it still runs.
class Opened : public std::enable_shared_from_this<Opened> {
public:
    /// Claims, copies, maps and opens what `file` holds; `pinned` is the digest of its content.
    /// Refusals carry reason and mend, not the file.
    static Result<std::shared_ptr<Opened>> open(Runtime&, const PluginFile& file, Inspected,
                                                const Digest& pinned, const std::string& copies);
    ~Opened();
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    const Descriptor& descriptor() const { return descriptor_; }
    const Digest& digest() const { return digest_; }
    const std::string& path() const { return path_; }
    PluginHost& host() { return *host_; }
    Runtime& runtime() { return runtime_; }
    const foxwedge_factory* factory(const Component&) const;

    void note_abandoned();
    /// Refusal once too many of its calls had to be abandoned.
    Status accepts_work() const;

private:
    Opened(Runtime&, Descriptor, const Digest&, std::string path, Claim, const foxwedge_entry&);
    Status run_open();

    Runtime& runtime_;
    const Descriptor descriptor_;
    const Digest digest_;
    const std::string path_;
    Claim claim_;
    const foxwedge_entry& entry_;
    PluginHost* host_; // never freed, see plugin_host.hpp
    std::map<const Component*, const foxwedge_factory*> factories_;
    bool open_ = false;
    std::atomic<int> abandoned_{0};
};

} // namespace foxwedge::plugin
