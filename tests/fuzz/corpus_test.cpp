// Replays the inputs of the fuzz targets in every build: tests/fuzz/corpus/TARGET/NAME. A name that
// begins with "valid" must be accepted, "invalid" refused; others (found by the fuzzer) may be
// either.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fuzz/targets.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast::fuzz {

/// GoogleTest would print the bytes of the struct, addresses included.
static void PrintTo(const Target& target, std::ostream* stream) {
  *stream << target.name;
}

namespace {

std::vector<std::filesystem::path> inputs_of(const Target& target) {
  const auto folder =
      std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/fuzz/corpus" / target.name;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  return files;
}

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, EveryInputIsAcceptedOrRefusedAsItsNameSays) {
  int valid = 0;
  for (const auto& file : inputs_of(GetParam())) {
    const std::string name = file.filename().string();
    const bool accepted = GetParam().accepts(read_text_file(file));
    EXPECT_FALSE(name.starts_with("valid") && !accepted) << file << " is refused";
    EXPECT_FALSE(name.starts_with("invalid") && accepted) << file << " is accepted";
    valid += name.starts_with("valid") ? 1 : 0;
  }
  EXPECT_GT(valid, 0) << "a corpus without a valid input reaches little of the reader";
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace stepcast::fuzz
