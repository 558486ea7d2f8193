#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Chakra graphs (Sridharan et al. 2023; MLCommons): nodes of one step with durations and
/// dependencies, as JSON or protocol buffers.
///
/// The graph names no layers and holds no times but durations: see layers_of(ChakraOperator...) for
/// what is concluded, and the notes of the workload for what is not known.
class ChakraReader final : public TraceReader {
 public:
  std::string name() const override { return "chakra"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
