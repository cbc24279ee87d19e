#include "compose/cards.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"

namespace foxwedge::compose {
namespace {

Error cannot_show(int reason, const std::string& path) {
    switch (reason) {
    case EXDEV:
    case ELOOP:
        return permanent("denied", "the file " + path + " lies outside of the project");
    case ENOENT:
    case ENOTDIR:
        return permanent("not_found", "the project has no file " + path);
    default:
        return permanent("unavailable",
                         "the file " + path + " cannot be shown: " + std::strerror(reason));
    }
}

} // namespace

Result<JsonArray> conversation_cards(Host& host, std::string_view conversation) {
    constexpr std::string_view prefix = "card/";
    constexpr int page = 200;
    JsonArray cards;
    const auto ui = host.plugins().find("foxwedge.capability/1", "workflow-ui");
    if (!ui) return cards;
    const auto collection = journal::collection_name(ui->build.id, "conversation", conversation);
    for (std::string after;;) {
        FOXWEDGE_TRY(items, host.engine().scan(collection, prefix, after, page));
        for (const auto& item : items) {
            FOXWEDGE_TRY(card, parse_json(item.value_json));
            cards.push_back(std::move(card));
        }
        if (items.size() < static_cast<std::size_t>(page)) return cards;
        after = items.back().key;
    }
}

Result<int> open_card_file(const std::string& project_folder, const Json& card) {
    const auto* target = member(card, "target");
    const std::string path(target ? string_member(*target, "filePath").value_or("") : "");
    if (string_member(card, "kind") != "file" || path.empty() ||
        path.find('\0') != std::string::npos)
        return permanent("input_validation", "this is no card of a file");
    const int folder = ::open(project_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return cannot_show(errno, path);
    // Without waiting for who would write to a pipe.
    const int file = open_beneath(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const int reason = errno;
    ::close(folder);
    if (file < 0) return cannot_show(reason, path);
    struct stat info {};
    if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode)) return file;
    ::close(file);
    return permanent("unavailable", "the file " + path + " is no regular file");
}

} // namespace foxwedge::compose
