// Measured parts of a transformer.
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"

namespace stepcast::fuzz {

bool accepts_blocks(std::string_view text) {
  return accepts([&] {
    const MeasuredParts measured = parse_measured_parts(text, "input");
    for (const MeasuredPart& row : measured.rows)
      require(row.forward > Seconds{} && finite_and_not_negative(row.backward.value),
              "a pass takes time");
  });
}

}  // namespace stepcast::fuzz
