#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast::fuzz {

bool accepts_horovod_timeline(std::string_view text) {
  const TraceReader& reader = horovod_timeline_reader();
  const bool inspected = inspects(reader, text);
  return imports(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
