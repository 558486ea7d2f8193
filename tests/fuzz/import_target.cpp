// A file of any kind, as `inspect`, `import` and `replay` take it: known by its content, packed or
// not. The input is the file; after a line "---" a second one of the same folder.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/readers/import.hpp"
#include "traces/readers/stepcast/workload_reader.hpp"
#include "traces/readers/stepcast/workload_writer.hpp"

namespace stepcast::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNextFile = "\n---\n";

/// A folder of the process, in memory where there is such a place.
const fs::path& folder() {
  static const fs::path path = [] {
    std::string name = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string();
    name += "/stepcast-fuzz-XXXXXX";
    const fs::path made = ::mkdtemp(name.data());
    std::atexit([] { fs::remove_all(folder()); });
    return made;
  }();
  return path;
}

std::vector<fs::path> written(std::string_view text) {
  std::vector<fs::path> paths;
  while (paths.size() < 3) {
    const std::size_t end = text.find(kNextFile);
    paths.push_back(folder() / ("rank" + std::to_string(paths.size())));
    std::ofstream(paths.back(), std::ios::binary) << text.substr(0, end);
    if (end == text.npos)
      break;
    text.remove_prefix(end + kNextFile.size());
  }
  return paths;
}

}  // namespace

bool accepts_import(std::string_view text) {
  const std::vector<fs::path> paths = written(text);
  const bool inspected = accepts([&] {
    ImportReport report;
    for (const auto& category : inspect_trace(paths, {}, report).categories)
      require(finite_and_not_negative(category.time.value), "a category takes a time");
  });
  const bool imported = accepts([&] {
    ImportReport report;
    parse_workload(to_json_text(import_trace(paths, {.batch = 8}, report)), "written");
  });
  return inspected || imported;
}

}  // namespace stepcast::fuzz
