#pragma once

namespace stepcast {

/// The commit that this program was built from, abbreviated, and "-dirty" behind it where files
/// differed from it; "" where the sources lay in no repository. Written by built_commit.cmake.
const char* built_commit();

}  // namespace stepcast
