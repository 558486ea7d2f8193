#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast::fuzz {

bool accepts_ddp_logging(std::string_view text) {
  const TraceReader& reader = ddp_logging_reader();
  const bool inspected = inspects(reader, text);
  return supplements(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
