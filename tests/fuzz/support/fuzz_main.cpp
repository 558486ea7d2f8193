// libFuzzer's entry: one program for each target, whose name the build files give.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/support/json_mutator.hpp"
#include "tests/fuzz/support/line_mutator.hpp"
#include "tests/fuzz/targets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const stepcast::fuzz::Target& target = stepcast::fuzz::target_of(STEPCAST_FUZZ_TARGET);
  target.accepts(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

// Half of the inputs stay what they were: JSON, or lines of settings and tables. Bytes are changed
// in all others.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace stepcast::fuzz;
  if (seed % 2 == 0) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string mutated = mutated_json(text, seed);
    if (mutated == text)
      mutated = mutated_lines(text, seed, vocabulary_of_program());
    if (mutated != text && mutated.size() <= most) {
      std::memcpy(data, mutated.data(), mutated.size());
      return mutated.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
