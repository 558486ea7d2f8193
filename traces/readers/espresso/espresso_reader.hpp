#pragma once

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Ready gaps as Espresso's authors published them (Wang et al., EuroSys 2023): for each model its
/// gradients in ready order as [name, elements, microseconds since the one before]. options.model
/// says which model of the file.
class EspressoReader final : public TraceReader {
 public:
  std::string name() const override { return "espresso"; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
};

}  // namespace stepcast
