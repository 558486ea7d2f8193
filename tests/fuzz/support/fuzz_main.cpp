// libFuzzer's entry: one program, and for each target a link to it of the name fuzz_<target>.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/support/json_mutator.hpp"
#include "tests/fuzz/support/line_mutator.hpp"
#include "tests/fuzz/targets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const stepcast::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(const int*, char*** arguments) {
  const std::string program = std::filesystem::path(**arguments).filename();
  target = &stepcast::fuzz::target_of(program.substr(program.find('_') + 1));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->accepts(std::string_view(reinterpret_cast<const char*>(data), size));
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
