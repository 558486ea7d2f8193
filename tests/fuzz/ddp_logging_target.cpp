#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/readers/ddp_logging/ddp_logging_reader.hpp"

namespace stepcast::fuzz {

bool accepts_ddp_logging(std::string_view text) {
  return inspects(DdpLoggingReader(), text);
}

}  // namespace stepcast::fuzz
