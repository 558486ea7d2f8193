#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// StepCast's own workload format, for import_trace(). It states everything itself: of the options,
/// none applies.
class StepcastReader final : public TraceReader {
 public:
  std::string name() const override { return "stepcast"; }
  bool sniff(std::string_view head) const override;
  bool tells_shapes() const override { return true; }
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  Workload read(std::string_view text, const std::string& origin, const ImportOptions& options,
                ImportReport& report) const;
};

}  // namespace stepcast
