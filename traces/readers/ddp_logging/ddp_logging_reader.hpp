#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// What DistributedDataParallel's _get_ddp_logging_data() returns, as JSON: among much else the
/// sizes of its gradient buckets, "bucket_sizes" and, once they were rebuilt in ready order,
/// "rebuilt_bucket_sizes", in bytes as "1048576, 26214400". It holds no times of layers: it can be
/// inspected, and imported beside a profiler's trace, to which it adds the buckets.
class DdpLoggingReader final : public TraceReader {
 public:
  std::string name() const override { return "ddp-logging"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  std::optional<TraceSupplement> supplement(const TraceStream& file,
                                            ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
