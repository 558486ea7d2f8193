#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/input_error.hpp"
#include "traces/json/pending_files.hpp"
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

TEST_F(TextFile, PlantedLinkOfATemporaryNameOverwritesNothing) {
  // The name that a process of this number used to write before renaming.
  const fs::path victim = folder_ / "victim";
  write_text_file(victim, "precious");
  fs::create_symlink(victim, folder_ / ("out.json.tmp" + std::to_string(::getpid())));
  write_text_file(folder_ / "out.json", "text");
  EXPECT_EQ(read_text_file(victim), "precious");
  EXPECT_EQ(read_text_file(folder_ / "out.json"), "text");
}

TEST_F(TextFile, ReplacedFileKeepsItsMode) {
  const fs::path path = folder_ / "secret.json";
  write_text_file(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_text_file(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(TextFile, NewFileHasTheModeOfTheUsersMask) {
  const mode_t before = ::umask(027);
  write_text_file(folder_ / "new.json", "text");
  ::umask(before);
  EXPECT_EQ(fs::status(folder_ / "new.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(TextFile, PendingFileIsRemovedByTheSignalPath) {
  const fs::path half = folder_ / "half.json.abc";
  const fs::path whole = folder_ / "whole.json";
  write_text_file(half, "half");
  write_text_file(whole, "whole");
  {
    const PendingFile pending(half);
    remove_pending_files();
  }
  remove_pending_files();  // nothing is pending any more
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(fs::exists(whole));
}

volatile std::sig_atomic_t signals_seen = 0;

// One that came between the making of a file and its name's being known left the file behind.
TEST_F(TextFile, SignalsWaitUntilAFilesNameIsKnown) {
  const auto before = std::signal(SIGTERM, [](int) { signals_seen = signals_seen + 1; });
  {
    const HeldSignals held;
    ::raise(SIGTERM);
    EXPECT_EQ(signals_seen, 0);
  }
  EXPECT_EQ(signals_seen, 1);
  std::signal(SIGTERM, before);
}

TEST_F(TextFile, FileThatNeverEndsIsRefused) {
  if (!fs::exists("/dev/zero"))
    GTEST_SKIP() << "no /dev/zero on this system";
  const std::string error = input_error_of([] { read_text_file("/dev/zero"); });
  EXPECT_EQ(error,
            "/dev/zero: is larger than 64 MiB, the most that is read of such a file; "
            "STEPCAST_MAX_FILE=SIZE allows more");
}

TEST_F(TextFile, LimitIsWhatTheEnvironmentSays) {
  write_text_file(folder_ / "a.json", std::string(2000, ' '));
  ::setenv("STEPCAST_MAX_FILE", "1kB", 1);
  const std::string error = input_error_of([&] { read_text_file(folder_ / "a.json"); });
  ::setenv("STEPCAST_MAX_FILE", "much", 1);
  const std::string unreadable = input_error_of([&] { read_text_file(folder_ / "a.json"); });
  ::unsetenv("STEPCAST_MAX_FILE");
  EXPECT_NE(error.find("a.json: is larger than "), std::string::npos) << error;
  EXPECT_EQ(unreadable.find("STEPCAST_MAX_FILE: "), 0U) << unreadable;
}

}  // namespace
}  // namespace stepcast
