#include "traces/json/spooled_text.hpp"

#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string whole(const SpooledText& text) {
  std::string all;
  text.read([&](std::string_view piece) { all += piece; });
  return all;
}

TEST(SpooledText, IsHeldWhileItIsShort) {
  SpooledText text;
  text.append("one ");
  text.append("two");
  EXPECT_FALSE(text.is_in_file());
  EXPECT_EQ(text.size(), 7U);
  EXPECT_EQ(whole(text), "one two");
}

TEST(SpooledText, LiesInAFileWhereItIsLongAndReadsTheSame) {
  std::string expected;
  SpooledText text;
  for (int i = 0; i < 100; ++i) {
    const std::string line(100'000, static_cast<char>('a' + i % 26));
    expected += line;
    text.append(line);
  }
  EXPECT_TRUE(text.is_in_file());
  EXPECT_EQ(whole(text), expected);
  SpooledText both;
  both.append("before ");
  both.append(text);
  EXPECT_EQ(whole(both), "before " + expected);
  const SpooledText moved = std::move(text);
  EXPECT_EQ(moved.size(), expected.size());
}

TEST(SpooledText, GivesItsFileAway) {
  SpooledText text;
  const std::string long_one(10'000'000, 'x');
  text.append(long_one);
  text.append("end");
  const int file = text.release();
  std::string end(3, '\0');
  EXPECT_EQ(::pread(file, end.data(), 3, static_cast<off_t>(long_one.size())), 3);
  EXPECT_EQ(end, "end");
  ::close(file);
  EXPECT_EQ(text.size(), 0U);
}

TEST(SpooledText, WithoutAFolderForItSaysWhichOneItWanted) {
  const char* folder = std::getenv("TMPDIR");
  const std::string before = folder == nullptr ? "" : folder;
  ::setenv("TMPDIR", "/nowhere", 1);
  SpooledText text;
  const std::string error = input_error_of([&] { text.append(std::string(10'000'000, 'x')); });
  EXPECT_TRUE(
      error.starts_with("/nowhere: the results that are to be printed cannot be kept: No "
                        "such file or directory"))
      << error;
  if (before.empty())
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace stepcast
