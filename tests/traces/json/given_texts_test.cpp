#include "traces/json/given_texts.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

TEST(GivenTexts, StandForFilesWhileTheyLive) {
  {
    const GivenTexts outer({{"a.json", "1"}, {"b.json", "2"}});
    const GivenTexts inner(std::map<std::string, std::string>{{"a.json", "3"}});
    EXPECT_EQ(read_text_file("a.json"), "3");
    EXPECT_EQ(read_text_file("b.json"), "2");
  }
  EXPECT_EQ(input_error_of([] { read_text_file("a.json"); }), "a.json: not found");
}

TEST(GivenTexts, AreNamedByErrorsAsTheyWereGiven) {
  const GivenTexts given(std::map<std::string, std::string>{
      {"mine/c.json", R"({"format": "stepcast-cluster", "version": 1})"}});
  EXPECT_TRUE(input_error_of([] { load_cluster("mine/c.json"); }).starts_with("mine/c.json: "));
}

// A job of somebody else named a file of this machine, whose content an error message showed.
TEST(GivenTexts, OfOthersReadAndWriteNoOtherFile) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "stepcast-given-texts";
  std::filesystem::create_directories(folder / "data");
  std::filesystem::create_directory_symlink("..", folder / "data/out");
  write_text_file(folder / "data/own.txt", "own");
  write_text_file(folder / "secret.txt", "secret");
  {
    const GivenTexts given(std::map<std::string, std::string>{{"a.json", "1"}}, folder / "data");
    EXPECT_EQ(read_text_file("a.json"), "1");
    EXPECT_EQ(read_text_file(folder / "data/own.txt"), "own");
    for (const char* path : {"secret.txt", "data/../secret.txt", "data/out/secret.txt"})
      EXPECT_NE(input_error_of([&] { read_text_file(folder / path); }).find("reads no other"),
                std::string::npos)
          << path;
    EXPECT_NE(input_error_of([&] {
                write_text_file(folder / "data/new.txt", "x");
              }).find("writes no file"),
              std::string::npos);
  }
  EXPECT_EQ(read_text_file(folder / "secret.txt"), "secret");
  EXPECT_FALSE(std::filesystem::exists(folder / "data/new.txt"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stepcast
