#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/trace_checks.hpp"
#include "traces/readers/execution_trace/execution_trace_reader.hpp"

namespace stepcast::fuzz {

bool accepts_execution_trace(std::string_view text) {
  const ExecutionTraceReader reader;
  const bool inspected = inspects(reader, text);
  return supplements(reader, text) && inspected;
}

}  // namespace stepcast::fuzz
