#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/goal_reader.hpp"

namespace stepcast::fuzz {

bool accepts_goal(std::string_view text) {
  return accepts([&] { parse_goal(text, "input"); });
}

}  // namespace stepcast::fuzz
