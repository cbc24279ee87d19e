// Why a plugin is not used: the file, the reason and the mend, always all three.
#pragma once
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace foxwedge::plugin {

/// An error with `details` {"reason", "mend"} and the message "reason; mend".
Error refusal(std::string_view code, std::string_view reason, std::string_view mend);

/// The same error about `file`: message "file: reason; mend", details with "file". An error that
/// has a file already, or is no refusal, is returned as it is.
Error about_file(Error, std::string_view file);

/// Parts of a refusal; empty for other errors.
std::string reason_of(const Error&);
std::string mend_of(const Error&);

} // namespace foxwedge::plugin
