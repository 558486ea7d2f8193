// A table of measured layouts (validate --cases).
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/measured_layouts.hpp"

namespace stepcast::fuzz {

bool accepts_cases(std::string_view text) {
  return accepts([&] {
    for (const MeasuredLayout& row : parse_cases(text, "input").rows) {
      require(std::isfinite(row.measured.value) && row.measured.value > 0, "a step takes a time");
      require(row.layers > 0 && row.hidden > 0 && row.heads > 0, "a transformer has layers");
      require(row.tensor > 0 && row.pipeline > 0 && row.data > 0 && row.gpus > 0,
              "a layout has ranks");
    }
  });
}

}  // namespace stepcast::fuzz
