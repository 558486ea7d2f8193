#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// The source expression with which a content security policy allows exactly this inlined script or
/// style: 'sha256-...' with its quotes. 'unsafe-inline', which allows all, in a build without
/// libmd.
std::string policy_hash(std::string_view text);

}  // namespace stepcast
