#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {

namespace {

/// A workload file states everything itself: of the options, none applies.
class StepcastReader final : public TraceReader {
 public:
  std::string name() const override { return "stepcast"; }
  bool sniff(std::string_view head) const override {
    return json_start(head) == '{' && head.find(kWorkloadFormat) != std::string_view::npos;
  }
  bool tells_shapes() const override { return true; }
  Workload read(const std::vector<TraceStream>& files, const ImportOptions&,
                ImportReport&) const override {
    const TraceStream& file = only_file(files, name());
    return parse_workload(text_of(file), file.origin);
  }
};

}  // namespace

const TraceReader& stepcast_reader() {
  static const StepcastReader reader;
  return reader;
}

}  // namespace stepcast
