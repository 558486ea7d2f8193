#include "traces/readers/stepcast/stepcast_reader.hpp"

#include "traces/json/json_text.hpp"
#include "traces/readers/stepcast/workload_file.hpp"

namespace stepcast {

bool StepcastReader::sniff(std::string_view head) const {
  return json_start(head) == '{' && head.find(kWorkloadFormat) != std::string_view::npos;
}

Workload StepcastReader::read(const std::vector<TraceStream>& files, const ImportOptions& options,
                              ImportReport& report) const {
  const TraceStream& file = only_file(files, name());
  return read(text_of(file), file.origin, options, report);
}

Workload StepcastReader::read(std::string_view text, const std::string& origin,
                              const ImportOptions&, ImportReport&) const {
  return parse_workload(text, origin);
}

}  // namespace stepcast
