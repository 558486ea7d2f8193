#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Horovod's timeline (HOROVOD_TIMELINE): a Chrome trace with a process for each tensor, whose
/// NEGOTIATE_ALLREDUCE begins when the tensor is ready and whose ALLREDUCE ends with its type and
/// shape. The list of events may lack its end, as Horovod leaves it when the job is stopped.
class HorovodReader final : public TraceReader {
 public:
  std::string name() const override { return "horovod-timeline"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
