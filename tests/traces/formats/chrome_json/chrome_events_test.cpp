#include "traces/formats/chrome_json/chrome_events.hpp"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// Keeps what it is handed.
class Kept final : public ChromeSink {
 public:
  void event(const ChromeEvent& event) override { events.push_back(event); }
  void property(const std::string& path, const ChromeArgument& value) override {
    properties[path] = value.number ? std::to_string(*value.number) : value.text;
  }

  std::vector<ChromeEvent> events;
  std::map<std::string, std::string> properties;
};

Kept read(const std::string& text, const ChromeOptions& options = {}, ChromeText* how = nullptr) {
  Kept kept;
  const auto source = open_text(text);
  const ChromeText result = read_chrome_json(*source, "t.json", kept, options);
  if (how != nullptr)
    *how = result;
  return kept;
}

std::string error_of(const std::string& text) {
  return input_error_of([&] { read(text); });
}

constexpr const char* kEvent =
    R"({"ph": "X", "name": "conv", "cat": "kernel", "pid": 0, "tid": "stream 7", "ts": 1623212388426902.5,
        "dur": 4.25, "args": {"stream": 7, "text": "a", "Input Dims": [[2, 3], [], [4]]}})";

TEST(ChromeEvents, TimesCountFromTheFirstAndKeepFractionsOfMicroseconds) {
  const Kept kept =
      read(std::string(R"({"traceEvents": [{"ph": "X", "ts": 1623212388426900},)") + kEvent + "]}");
  ASSERT_EQ(kept.events.size(), 2U);
  EXPECT_EQ(kept.events[0].start, Seconds{});
  EXPECT_DOUBLE_EQ(kept.events[1].start->value, 2.5e-6);
  EXPECT_DOUBLE_EQ(kept.events[1].duration->value, 4.25e-6);
  EXPECT_EQ(kept.events[1].process, "0");
  EXPECT_EQ(kept.events[1].thread, "stream 7");
}

// Ascend's profiler writes times as texts. A double would round these to a quarter of a
// microsecond.
TEST(ChromeEvents, NumbersAsTextsAreNumbers) {
  const Kept kept = read(R"([{"ph": "X", "ts": "1704161511420300.100", "dur": "4.25"},
    {"ph": "X", "ts": "1704161511420302.601", "dur": "3", "pid": "8", "id": "a.1",
     "args": {"stream": "7", "Input Dims": [["2", "3"]], "text": "7a"}},
    {"ph": "X", "ts": "soon", "dur": ""}])");
  ASSERT_EQ(kept.events.size(), 3U);
  EXPECT_NEAR((*kept.events[1].start - *kept.events[0].start).value, 2.501e-6, 1e-15);
  EXPECT_DOUBLE_EQ(kept.events[0].duration->value, 4.25e-6);
  EXPECT_DOUBLE_EQ(kept.events[1].duration->value, 3e-6);
  EXPECT_EQ(kept.events[1].id, "a.1");
  EXPECT_EQ(kept.events[1].number("stream"), 7);
  EXPECT_EQ(kept.events[1].number("text"), std::nullopt);
  const std::vector<std::vector<double>> shapes = {{2, 3}};
  EXPECT_EQ(kept.events[1].find("Input Dims")->shapes, shapes);
  EXPECT_FALSE(kept.events[2].start);
  EXPECT_FALSE(kept.events[2].duration);
}

TEST(ChromeEvents, ArgumentsAreNumbersTextsAndShapes) {
  const Kept kept = read(fmt::format("[{}]", kEvent));
  ASSERT_EQ(kept.events.size(), 1U);
  EXPECT_EQ(kept.events[0].number("stream"), 7);
  EXPECT_EQ(kept.events[0].text("text"), "a");
  const std::vector<std::vector<double>> shapes = {{2, 3}, {}, {4}};
  EXPECT_EQ(kept.events[0].find("Input Dims")->shapes, shapes);
  EXPECT_EQ(kept.events[0].find("missing"), nullptr);
}

TEST(ChromeEvents, WhatStandsBesideTheEventsHasAPath) {
  const Kept kept = read(
      R"({"distributedInfo": {"rank": 3}, "deviceProperties": [{"name": "A"}], "traceEvents": []})");
  EXPECT_EQ(kept.properties.at("deviceProperties/name"), "A");
  EXPECT_EQ(kept.properties.at("distributedInfo/rank").substr(0, 2), "3.");
}

TEST(ChromeEvents, RawBackslashesAreReadAsThemselvesAndCounted) {
  ChromeText how;
  const Kept kept = read(R"([{"name": "C:\Users\me\x", "cat": "a\\b\"c\u0041"}])", {}, &how);
  EXPECT_EQ(kept.events[0].name, R"(C:\Users\me\x)");
  EXPECT_EQ(kept.events[0].category, R"(a\b"cA)");
  EXPECT_EQ(how.repaired_backslashes, 3U);
}

TEST(ChromeEvents, EscapesThatTheEndOfABufferCutsSurvive) {
  // Whatever the size of the buffer, one of these offsets puts the escape across its end.
  for (std::size_t padding = (1U << 16U) - 40; padding < (1U << 16U) + 8; ++padding) {
    ChromeText how;
    const std::string text = std::string(padding, ' ') + R"([{"name": "a\u0041b\qc\\d"}])";
    const Kept kept = read(text, {}, &how);
    ASSERT_EQ(kept.events.at(0).name, R"(aAb\qc\d)") << padding;
    ASSERT_EQ(how.repaired_backslashes, 1U) << padding;
  }
}

TEST(ChromeEvents, ATextThatEndsTooEarlyIsRefused) {
  const std::string expected = "t.json: the text ends too early (is the file truncated?)";
  EXPECT_EQ(error_of(R"({"traceEvents": [{"ph": "X")"), expected);
  EXPECT_EQ(error_of(R"({"traceEvents": [{"ph": "X)"), expected);
  EXPECT_EQ(error_of(""), expected);
}

TEST(ChromeEvents, AWriterThatWasStoppedMayLeaveTheListOpen) {
  ChromeText how;
  const Kept kept = read(R"([{"ph": "B", "name": "a"}, )", {.may_end_early = true}, &how);
  EXPECT_EQ(kept.events.size(), 1U);
  EXPECT_TRUE(how.truncated);
}

TEST(ChromeEvents, AnotherTopLevelTypeIsRefused) {
  EXPECT_EQ(error_of("3"), "t.json: expected an object or a list of events, found a single value");
  EXPECT_EQ(error_of("{]"), "t.json: byte 2: no JSON: found \"{]\"");
  EXPECT_EQ(error_of("{\"a\xff"), "t.json: byte 4: no JSON: found \"\"a?\"");
}

}  // namespace
}  // namespace stepcast
