#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

namespace stepcast::fuzz {

bool accepts_measurements(std::string_view text) {
  return accepts([&] { parse_measurements(text, "input"); });
}

}  // namespace stepcast::fuzz
