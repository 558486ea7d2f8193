// A file of any kind, as `inspect`, `import` and `replay` take it: known by its content, packed or
// not. The input is the file; after a line "---" a second one of the same folder, and a third.
#include <vector>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/input_files.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast::fuzz {

bool accepts_import(std::string_view text) {
  std::vector<std::filesystem::path> paths = written_inputs(text, 3);
  if (paths.size() > 1)
    paths = {input_folder()};
  const bool inspected = accepts([&] {
    ImportReport report;
    for (const auto& category : inspect_trace(paths, {}, report).categories)
      require(finite_and_not_negative(category.time.value), "a category takes a time");
  });
  const bool imported = accepts([&] {
    ImportReport report;
    parse_workload(to_json_text(import_trace(paths, {.batch = 8}, report)), "written");
  });
  const bool recorded = accepts([&] {
    ImportReport report;
    for (const RecordedStep& step : record_trace(paths, false, report))
      for (const auto& [before, after] : step.edges)
        require(before < after && after < step.tasks.size(), "a dependency leads forward");
  });
  return inspected || imported || recorded;
}

}  // namespace stepcast::fuzz
