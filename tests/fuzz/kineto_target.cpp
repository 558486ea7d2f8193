#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast::fuzz {

bool accepts_kineto(std::string_view text) {
  const TraceReader& reader = kineto_reader();
  const bool inspected = inspects(reader, text);
  accepts([&] {
    ImportReport report;
    for (const RecordedStep& step : reader.record({text_stream(text, "input")}, report))
      for (const auto& [before, after] : step.edges)
        require(before < after && after < step.tasks.size(), "a dependency leads forward");
  });
  return imports(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
