// libFuzzer's entry: one program for each target, whose name the build files give.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const stepcast::fuzz::Target& target = stepcast::fuzz::target_of(STEPCAST_FUZZ_TARGET);
  target.accepts(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
