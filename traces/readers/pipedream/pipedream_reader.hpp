#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// The graph.txt of PipeDream's profiler (Narayanan et al., SOSP 2019): measured forward and
/// backward times of every module, sizes of outputs and parameters, and which module feeds which.
///
/// Each module becomes a layer. The Input node holds the time of data loading and is dropped. The
/// file names neither model, GPU nor batch: the model is the name of the file's folder, the batch
/// follows from the linear layers' outputs, or else from the options.
class PipedreamReader final : public TraceReader {
 public:
  std::string name() const override { return "pipedream"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  Workload read(std::string_view text, const std::string& origin, const ImportOptions& options,
                ImportReport& report) const;
  /// Also of a file that does not tell its batch.
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
