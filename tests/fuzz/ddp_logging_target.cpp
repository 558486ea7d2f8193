#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/readers/ddp_logging/ddp_logging_reader.hpp"

namespace stepcast::fuzz {

bool accepts_ddp_logging(std::string_view text) {
  const DdpLoggingReader reader;
  const bool inspected = inspects(reader, text);
  return supplements(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
