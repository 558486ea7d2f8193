#pragma once

#include <string>
#include <string_view>

#include "tests/fuzz/checks.hpp"
#include "traces/formats/reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast::fuzz {

/// Whether a reader makes a workload of the text. What it makes must be one that StepCast reads
/// back.
inline bool imports(const TraceReader& reader, std::string_view text) {
  return accepts([&] {
    ImportReport report;
    const Workload workload = reader.read({text_stream(text, "input")}, {.batch = 8}, report);
    require(!workload.layers.empty(), "a workload has a layer");
    parse_workload(to_json_text(workload), "written");
  });
}

/// Whether a reader can say what the text holds.
inline bool inspects(const TraceReader& reader, std::string_view text) {
  return accepts([&] {
    ImportReport report;
    const TraceSummary summary = reader.inspect({text_stream(text, "input")}, {}, report);
    for (const auto& category : summary.categories)
      require(finite_and_not_negative(category.time.value), "a category takes a time");
  });
}

/// Whether a reader takes the text as an addition to a trace.
inline bool supplements(const TraceReader& reader, std::string_view text) {
  return accepts([&] {
    ImportReport report;
    require(reader.supplement(text_stream(text, "input"), report).has_value(),
            "the format adds to a trace");
  });
}

}  // namespace stepcast::fuzz
