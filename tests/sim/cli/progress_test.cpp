#include "sim/cli/progress.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using namespace std::chrono_literals;

/// A heartbeat in a world whose clock is set by hand; beats twice a second as the real one.
class Watched {
 public:
  explicit Watched(bool has_terminal)
      : heartbeat_("stepcast validate",
                   {.has_terminal = has_terminal,
                    .now = [this] { return now_; },
                    .write = [this](std::string_view text) { written_ += text; }}) {}

  /// What is written while so much time passes.
  std::string after(std::chrono::milliseconds time) {
    written_.clear();
    for (const auto end = now_ + time; now_ < end;) {
      now_ += 500ms;
      heartbeat_.beat();
    }
    return written_;
  }

  std::string written() const { return written_; }

 private:
  Heartbeat::Time now_{};
  std::string written_;
  Heartbeat heartbeat_;
};

TEST(Progress, ACommandOfTwoSecondsSaysNothingInALog) {
  Watched watched(false);
  const Progress progress("case", 60);
  EXPECT_EQ(watched.after(1500ms), "");
}

TEST(Progress, ALongCommandSaysSoAfterTwoSecondsAndThenEveryTenAlsoWithoutATerminal) {
  Watched watched(false);
  Progress progress("case", 60);
  progress.step();
  EXPECT_EQ(watched.after(2s), "stepcast validate: 2 s, case 1/60\n");
  progress.step();
  EXPECT_EQ(watched.after(9500ms), "");
  EXPECT_EQ(watched.after(500ms), "stepcast validate: 12 s, case 2/60\n");
  EXPECT_EQ(watched.after(20s),
            "stepcast validate: 22 s, case 2/60\nstepcast validate: 32 s, case 2/60\n");
}

TEST(Progress, ACommandThatCountsNothingSaysForHowLongItHasBeenAtWork) {
  Watched watched(false);
  EXPECT_EQ(watched.after(2s), "stepcast validate: 2 s\n");
  const Progress progress("reading trace.json");
  EXPECT_EQ(watched.after(10s), "stepcast validate: 12 s, reading trace.json\n");
}

TEST(Progress, WhatBeganLastIsToldOfAndThenWhatGoesOn) {
  Watched watched(false);
  const Progress outer("log", 3);
  std::optional<Progress> inner(std::in_place, "rank count");
  inner->step();
  EXPECT_EQ(watched.after(2s), "stepcast validate: 2 s, rank count 1\n");
  inner.reset();
  EXPECT_EQ(watched.after(10s), "stepcast validate: 12 s, log 0/3\n");
}

TEST(Progress, OnATerminalALineIsWrittenAnewAndIsGoneBeforeTheResultIsPrinted) {
  Watched watched(true);
  std::optional<Progress> progress(std::in_place, "case", 60);
  EXPECT_EQ(watched.after(500ms), "");
  const std::string line = "stepcast validate: 1 s, case 0/60";
  EXPECT_EQ(watched.after(500ms), "\r" + line + std::string(79 - line.size(), ' '));
  progress.reset();
  EXPECT_TRUE(watched.written().ends_with("\r" + std::string(79, ' ') + "\r"));
  EXPECT_EQ(watched.after(10s), "");
}

TEST(Progress, OnATerminalALineStaysOne) {
  Watched watched(true);
  const Progress progress("reading " + std::string(100, 'x'));
  EXPECT_EQ(watched.after(1s).size(), 80U);
}

TEST(Progress, ACommandInsideACommandSpeaksForItselfAndLetsTheOuterOneGoOn) {
  Watched outer(true);
  const Progress progress("case");
  { const Watched inner(false); }
  EXPECT_NE(outer.after(1s), "");
}

}  // namespace
}  // namespace stepcast
