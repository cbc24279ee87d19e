// What is on the plugin path, read from the files without running any of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/file.hpp"

namespace foxwedge::plugin {

struct Row {
    std::string path;
    std::string id; ///< from the file's name; empty if the name has not that form
    std::optional<Descriptor> descriptor;
    std::optional<Digest> digest;
    FileStamp stamp;              ///< of the file that was read; zero where none could be opened
    std::string shadowed_by;      ///< path of the file of this id that is used instead, or ""
    std::optional<Error> refusal; ///< why it cannot be used: file, reason, mend

    bool usable() const { return descriptor && !refusal && shadowed_by.empty(); }
};
Json to_json(const Row&);

/// Every file on the path that is or claims to be a plugin. 200 files take a few milliseconds,
/// their digests apart. Any thread.
std::vector<Row> list(const std::vector<std::string>& folders, bool with_digests = true);

/// One row about one file, wherever it lies: `plugins inspect FILE`. Name and owner are judged too.
Row inspect_file(const std::string& path);

} // namespace foxwedge::plugin
