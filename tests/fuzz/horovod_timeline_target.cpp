#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/readers/horovod_timeline/horovod_reader.hpp"

namespace stepcast::fuzz {

bool accepts_horovod_timeline(std::string_view text) {
  const HorovodReader reader;
  const bool inspected = inspects(reader, text);
  return imports(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
