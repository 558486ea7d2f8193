#pragma once
// Traces and logs that others recorded. The repository does not hold them: tests that read them are
// skipped where they are not at hand (CONTRIBUTING.md says where to get them).

#include <cstdlib>
#include <filesystem>

namespace stepcast {

/// `name` in the folder of recorded data: $STEPCAST_RECORDED_DATA, or ../shared/data beside the
/// source tree.
inline std::filesystem::path recorded_data(const std::filesystem::path& name) {
  const char* folder = std::getenv("STEPCAST_RECORDED_DATA");
  const std::filesystem::path beside =
      std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/data";
  return (folder == nullptr ? beside : std::filesystem::path(folder)) / name;
}

}  // namespace stepcast

/// Skips the test unless the file or folder is there.
#define STEPCAST_SKIP_WITHOUT(path)   \
  if (!std::filesystem::exists(path)) \
  GTEST_SKIP() << (path) << " is not there (see CONTRIBUTING.md)"
