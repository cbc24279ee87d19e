#include "compose/journal_store.hpp"

#include <filesystem>

namespace foxwedge::compose {
namespace {

class JournalStore final : public agent::StoreReader {
public:
    JournalStore(std::shared_ptr<journal::Engine> engine, std::string path)
        : engine_(std::move(engine)), path_(std::move(path)) {}

    Result<std::optional<journal::StoreItem>> get(std::string_view collection,
                                                  std::string_view key) override {
        return engine_->get(collection, key);
    }
    Result<std::vector<journal::StoreItem>> scan(std::string_view collection,
                                                 std::string_view prefix, std::string_view after,
                                                 int limit) override {
        return engine_->scan(collection, prefix, after, limit);
    }
    Result<std::vector<journal::StoreItem>> changes(std::string_view collection,
                                                    std::uint64_t revision, int limit) override {
        return engine_->changes(collection, revision, limit);
    }
    Result<std::string> folder(std::string_view name_space) override {
        const auto folder =
            std::filesystem::path(path_) / "folders" / std::filesystem::path(name_space);
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        if (failed)
            return permanent("io_error",
                             "cannot make the folder " + folder.string() + ": " + failed.message());
        return folder.string();
    }

private:
    const std::shared_ptr<journal::Engine> engine_;
    const std::string path_;
};

} // namespace

std::unique_ptr<agent::StoreReader> journal_store(std::shared_ptr<journal::Engine> engine,
                                                  std::string journal_path) {
    return std::make_unique<JournalStore>(std::move(engine), std::move(journal_path));
}

} // namespace foxwedge::compose
