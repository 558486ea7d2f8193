#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/input_error.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

/// An empty folder of its own for each test.
class TextFile : public ::testing::Test {
 protected:
  TextFile() {
    std::string name = (fs::temp_directory_path() / "stepcast-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TextFile() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(TextFile, WrittenTextIsReadBack) {
  write_text_file(folder_ / "a.txt", "one\ntwo\n");
  write_text_file(folder_ / "a.txt", "three\n");
  EXPECT_EQ(read_text_file(folder_ / "a.txt"), "three\n");
}

TEST_F(TextFile, OnlyTheFileRemainsAfterWriting) {
  write_text_file(folder_ / "a.txt", "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(TextFile, MissingFileIsCalledSo) {
  const std::string path = folder_ / "none.json";
  EXPECT_EQ(input_error_of([&] { read_text_file(path); }), path + ": not found");
}

TEST_F(TextFile, DirectoryIsCalledSo) {
  EXPECT_EQ(input_error_of([&] { read_text_file(folder_); }),
            folder_.string() + ": is a directory, expected a file");
}

TEST_F(TextFile, EmptyFileIsCalledSo) {
  const std::string path = folder_ / "empty.json";
  std::ofstream(path).close();
  EXPECT_EQ(input_error_of([&] { read_text_file(path); }), path + ": is empty");
}

TEST_F(TextFile, WritingIntoAMissingFolderNamesThePath) {
  const std::string path = folder_ / "none" / "a.txt";
  const std::string error = input_error_of([&] { write_text_file(path, "text"); });
  EXPECT_EQ(error.find(path + ": cannot be written"), 0U) << error;
}

TEST_F(TextFile, WritingOverADirectoryIsRefusedAndLeavesNothing) {
  fs::create_directory(folder_ / "d");
  const std::string error = input_error_of([&] { write_text_file(folder_ / "d", "text"); });
  EXPECT_NE(error.find("is a directory"), std::string::npos) << error;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(TextFile, FullDeviceIsAnErrorAndStaysADevice) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full on this system";
  }
  EXPECT_NE(input_error_of([] { write_text_file("/dev/full", "text"); }), "no error");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(TextFile, WritingThroughALinkKeepsTheLink) {
  write_text_file(folder_ / "target.txt", "old");
  fs::create_symlink(folder_ / "target.txt", folder_ / "link.txt");
  write_text_file(folder_ / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
  EXPECT_EQ(read_text_file(folder_ / "target.txt"), "new");
}

}  // namespace
}  // namespace stepcast
