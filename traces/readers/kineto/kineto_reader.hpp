#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Traces of the PyTorch profiler (Kineto): Chrome JSON of one rank, or one file for each of
/// several ranks of one job. Layer times are device time, summed over the kernels of a layer and
/// averaged over the steps; the waits of the device for the host are layers of kind HostGap.
class KinetoReader final : public TraceReader {
 public:
  std::string name() const override { return "kineto"; }
  bool takes_supplements() const override { return true; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
  std::vector<RecordedStep> record(const std::vector<TraceStream>& files,
                                   ImportReport& report) const override;
};

}  // namespace stepcast
