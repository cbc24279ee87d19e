// Whether a folder can hold a journal, and whether the file in it is whole, before LMDB sees it.
#pragma once
#include <functional>
#include <string>

#include "base/result.hpp"

namespace foxwedge::journal {

/// The file system's magic number at a path, or 0 (statfs; tests put their own in).
using FilesystemType = std::function<std::uint64_t(const std::string&)>;
std::uint64_t filesystem_type(const std::string& path);
/// The name of a network or user-space file system, whose locks and maps cannot be relied on; ""
/// for others.
std::string unfit_filesystem(std::uint64_t type);

/// Makes the folder (0700) if it is missing and refuses an unfit place: `journal_place`.
Status prepare_folder(const std::string& path, const FilesystemType&);
/// Compares the data file's length with its meta pages: `journal_damaged` if it was cut or is no
/// LMDB file. A missing or empty file is fine.
Status check_data_file(const std::string& file);

} // namespace foxwedge::journal
