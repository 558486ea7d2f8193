#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// PyTorch execution traces (ExecutionTraceObserver, schema 1.x): operators with the shapes of
/// their tensors, and collectives, without times. They can be inspected, and imported beside a
/// profiler's trace, to which they add the sizes of the gradients.
class ExecutionTraceReader final : public TraceReader {
 public:
  std::string name() const override { return "execution-trace"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  std::optional<TraceSupplement> supplement(const TraceStream& file,
                                            ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
