#include "plugin/opened.hpp"

#include <fcntl.h>

#include "plugin/entry.hpp"
#include "plugin/private_copy.hpp"
#include "plugin/refusal.hpp"
#include "plugin/verb.hpp"

namespace foxwedge::plugin {
namespace {

constexpr int most_copies = 1000; // hosts of one process with the same plugin open

/// The file may have been written into after it was read and before it was digested.
Status is_what_was_read(const std::string& copy, const Inspected& inspected) {
    const Fd fd(::open(copy.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    FOXWEDGE_TRY(elf, read_elf(fd.get()));
    if (elf.descriptor == inspected.elf.descriptor && elf.defined == inspected.elf.defined)
        return {};
    return refusal("changed_while_read", "it was changed while it was being read",
                   "replace it by rename, not by writing into it, and try again");
}

/// Claims a copy of the file's content that nobody else in this process has open.
Result<Claim> claim_copy(const PluginFile& file, const Inspected& inspected, const Digest& digest,
                         const std::string& copies) {
    const auto stray = inspected.elf.stray_symbol();
    if (!stray.empty()) FOXWEDGE_CHECK(admit_stray(inspected.descriptor.id, digest, stray));
    for (int n = 1; n <= most_copies; ++n) {
        const auto name = to_hex(digest) + (n == 1 ? "" : "." + std::to_string(n)) + ".so";
        auto mine = claim(copies + "/" + name);
        if (mine) {
            FOXWEDGE_TRY(path, private_copy(file.fd.get(), digest, copies, name));
            FOXWEDGE_CHECK(is_what_was_read(path, inspected));
            return mine;
        }
        if (!stray.empty())
            return refusal("in_use",
                           "another host in this process has it open, and it defines the symbol " +
                               std::string(stray),
                           "build the plugin so that it exports its entry alone (plugin.map)");
    }
    return refusal("in_use", "it is open too often in this process", "close hosts");
}

} // namespace

Opened::Opened(Runtime& runtime, Descriptor descriptor, const Digest& digest, std::string path,
               Claim claimed, const foxwedge_entry& entry)
    : runtime_(runtime), descriptor_(std::move(descriptor)), digest_(digest),
      path_(std::move(path)), claim_(std::move(claimed)), entry_(entry),
      host_(new PluginHost(
          descriptor_.id, runtime.masking,
          runtime.backend ? runtime.backend(descriptor_.id)
                          : make_local_backend(descriptor_.id, runtime.lent, runtime.masking))) {}

Result<std::shared_ptr<Opened>> Opened::open(Runtime& runtime, const PluginFile& file,
                                             Inspected inspected, const Digest& digest,
                                             const std::string& copies) {
    FOXWEDGE_TRY(claimed, claim_copy(file, inspected, digest, copies));
    FOXWEDGE_TRY(entry, map_library(claimed));
    FOXWEDGE_CHECK(check_entry(*entry));
    std::shared_ptr<Opened> opened(new Opened(runtime, std::move(inspected.descriptor), digest,
                                              file.path, std::move(claimed), *entry));
    FOXWEDGE_CHECK(opened->run_open());
    FOXWEDGE_TRY(factories, match_factories(*entry, opened->descriptor_));
    opened->factories_ = std::move(factories);
    return opened;
}

Status Opened::run_open() {
    Call call;
    call.until = call.until.within(runtime_.limits.open);
    const auto* entry = &entry_;
    const auto* api = host_->api();
    const auto end = run_verb(
        *this, call, nullptr, [entry, api](const foxwedge_call* c) { return entry->open(api, c); },
        {}, false);
    open_ = end.status == FOXWEDGE_OK;
    if (open_) return {};
    const auto why = error_of(end, "its open");
    return refusal("open_failed", why.message, "see what the plugin needs");
}

Opened::~Opened() {
    if (abandoned_ > 0) {
        claim_.keep();
    } else if (open_) {
        try {
            entry_.close();
        } catch (...) {
            // Nothing to undo: the library stays, the instances are gone.
        }
    }
    host_->retire();
}

const foxwedge_factory* Opened::factory(const Component& component) const {
    const auto it = factories_.find(&component);
    return it == factories_.end() ? nullptr : it->second;
}

void Opened::note_abandoned() {
    ++abandoned_;
    ++runtime_.abandoned;
    if (runtime_.lent.log)
        runtime_.lent.log->error(
            "plugin", "call left behind",
            {{"plugin", descriptor_.id}, {"count", std::to_string(abandoned_.load())}});
}

Status Opened::accepts_work() const {
    if (abandoned_ < runtime_.limits.abandoned_refuse) return {};
    return about_file(refusal("plugin_hangs",
                              std::to_string(abandoned_.load()) +
                                  " of its calls did not return after they were cancelled",
                              "restart the host; use \"isolation\": \"process\" for this plugin"),
                      path_);
}

} // namespace foxwedge::plugin
