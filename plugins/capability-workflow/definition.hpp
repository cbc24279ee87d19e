// What the model reads: the tool's description, its parameters, the section of the prompt.
#pragma once
#include "settings.hpp"

namespace workflow {

Value tool_list(const Settings&);

} // namespace workflow
