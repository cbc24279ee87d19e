// The engine conformance suite: what every engine of the seam must do. Included once per engine by
// a source that names its `Subject`, inside a test suite: subject.hpp includes what it needs.
namespace {

// The order of the parts is that of their dependencies.
// clang-format off
#include "conformance/fixture.hpp"
#include "conformance/steps.hpp"
#include "conformance/store.hpp"
#include "conformance/gates.hpp"
#include "conformance/waits.hpp"
#include "conformance/children.hpp"
#include "conformance/ends.hpp"
#include "conformance/lists.hpp"
#include "conformance/begun.hpp"
#include "conformance/serving.hpp"
// clang-format on

} // namespace
