#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/device_reader.hpp"

namespace stepcast::fuzz {

bool accepts_device(std::string_view text) {
  return accepts(
      [&] { require(!parse_device(text, "input").name.empty(), "a device has a name"); });
}

}  // namespace stepcast::fuzz
