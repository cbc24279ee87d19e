#include "plugin/conformance/check.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plugin/config.hpp"
#include "plugin/conformance/example.hpp"
#include "plugin/listing.hpp"
#include "plugin/private_copy.hpp"
#include "plugin/refusal.hpp"
#include "schema/schema.hpp"

namespace foxwedge::plugin::conformance {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with its owner.
class Folder {
public:
    static Result<Folder> make() {
        auto name = (fs::temp_directory_path() / "foxwedge-check-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            return permanent("io_error", "no folder can be made at " + name);
        return Folder(std::move(name));
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    Folder& operator=(Folder&&) = delete;
    const std::string& path() const { return path_; }

private:
    explicit Folder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

/// What the seal of plugin-box is made of here. The box does not start without the first two.
std::vector<std::string> means_of_sealing() {
    std::vector<std::string> means{"seccomp", "limits"};
    if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0)
        means.emplace_back("landlock");
    return means;
}

std::string kind_name(const Component& component) {
    const auto from = component.kind.find('.') + 1;
    return component.kind.substr(from, component.kind.find('/') - from);
}

class Check {
public:
    Check(const std::string& path, process::Supervisor& children, const CheckOptions& options)
        : path_(path), children_(children), options_(options) {}

    Result<Report> run() {
        report_.path = path_;
        report_.host_version = options_.host_version;
        FOXWEDGE_TRY(folder, Folder::make());
        if (!file_is_fine()) return report_;
        FOXWEDGE_CHECK(configs_are_used());
        FOXWEDGE_TRY(copy, copy_into(folder.path()));
        library_ = copy;
        report_.sealed_by = means_of_sealing();
        for (const auto& component : row_.descriptor->components)
            FOXWEDGE_CHECK(component_is_fine(component, folder.path()));
        return report_;
    }

private:
    bool file_is_fine() {
        Ledger ledger(report_, "file");
        row_ = inspect_file(path_);
        report_.path = row_.path;
        report_.id = row_.id;
        if (row_.digest) report_.sha256 = to_hex(*row_.digest);
        if (!ledger.note("file.descriptor",
                         "the file can be judged without running it, and this host can load it",
                         row_.refusal ? reason_of(*row_.refusal) + "; " + mend_of(*row_.refusal)
                                      : ""))
            return false;
        const auto& descriptor = *row_.descriptor;
        report_.version = descriptor.version;
        report_.title = descriptor.title;
        ledger.note("file.symbols", "it exports its entry and nothing else", problem_of_symbols());
        std::string problem;
        if (descriptor.title.empty()) problem = "it has no title";
        for (const auto& component : descriptor.components)
            if (component.title.empty() && is_known_kind(component.kind))
                problem = component.id + " has no title";
        ledger.note("file.titles", "plugin and components say in words what they are", problem);
        problem.clear();
        for (const auto& component : descriptor.components)
            if (!component.config_schema.is_null())
                if (const auto compiled = schema::Schema::compile(component.config_schema);
                    !compiled)
                    problem = component.id + ": " + compiled.error().message;
        ledger.note("file.config-schemas", "each configSchema can be compiled", problem);
        return true;
    }
    std::string problem_of_symbols() const {
        const Fd fd(::open(row_.path.c_str(), O_RDONLY | O_CLOEXEC));
        const auto elf = read_elf(fd.get());
        if (!elf) return reason_of(elf.error());
        const auto stray = elf->stray_symbol();
        if (stray.empty()) return {};
        return "it exports " + std::string(stray) +
               " too: two versions of it cannot be in one process (link with plugin.map)";
    }

    Status configs_are_used() const {
        for (const auto& [id, config] : options_.configs) {
            bool known = id.empty();
            for (const auto& component : row_.descriptor->components)
                known = known || component.id == id;
            if (!known)
                return permanent("unknown_component", "it has no component called " + id +
                                                          " that a configuration could be for");
        }
        return {};
    }

    Result<std::string> copy_into(const std::string& folder) const {
        const Fd fd(::open(row_.path.c_str(), O_RDONLY | O_CLOEXEC));
        return private_copy(fd.get(), *row_.digest, folder + "/library",
                            to_hex(*row_.digest) + ".so");
    }

    Result<Json> config_of(const Component& component) const {
        for (const auto& id : {component.id, std::string()})
            if (const auto it = options_.configs.find(id); it != options_.configs.end())
                return checked_config(component, it->second);
        if (const auto* examples = array_member(component.config_schema, "examples");
            examples && !examples->empty())
            return checked_config(component, examples->front());
        auto empty = checked_config(component, JsonObject{});
        if (empty) return empty;
        if (const auto example = example_of(component.config_schema); example)
            return checked_config(component, *example);
        return empty;
    }

    Status component_is_fine(const Component& component, const std::string& folder) {
        Ledger ledger(report_, kind_name(component) + " " + component.id);
        const auto* opens = "open, factory_at and create give an instance";
        if (!is_known_kind(component.kind)) {
            ledger.skip("instance", opens, "this host does not know the kind " + component.kind);
            return {};
        }
        auto config = config_of(component);
        const bool given = options_.configs.contains(component.id) || options_.configs.contains("");
        if (!config && given) return std::move(config).error();
        if (!config) {
            ledger.skip("instance", opens,
                        "it needs a configuration: --config, or \"examples\" in its configSchema");
            return {};
        }
        const auto mine = folder + "/" + kind_name(component) + "-" + component.id;
        std::error_code failed;
        fs::create_directory(mine, failed);
        if (failed) return permanent("io_error", "no folder can be made at " + mine);
        const TrialSetting setting{children_,        {"--sealed", mine}, library_,
                                   report_.sha256,   report_.id,         mine,
                                   options_.longest, options_.grace};
        Trial trial(setting, component, *config);
        auto opened = trial.open();
        if (!opened && opened.error().code == "plugin-box_missing") return opened;
        if (!ledger.note("instance", opens, opened ? "" : opened.error().message)) return {};
        if (component.kind == capability_kind)
            check_capability(trial, ledger);
        else if (component.kind == provider_kind)
            check_provider(trial, ledger, options_.answer);
        else if (component.kind == guardrail_kind)
            check_guardrail(trial, ledger);
        else
            check_strategy(trial, ledger);
        return {};
    }

    const std::string path_;
    process::Supervisor& children_;
    const CheckOptions& options_;
    Report report_;
    Row row_;
    std::string library_;
};

} // namespace

Result<Report> check_plugin(const std::string& path, process::Supervisor& children,
                            const CheckOptions& options) {
    return Check(path, children, options).run();
}

} // namespace foxwedge::plugin::conformance
