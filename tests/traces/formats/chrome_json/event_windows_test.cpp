// A list of events longer than the window that simdjson reads at a time: what it holds, where it is
// wrong and what stands behind it must be found wherever the windows end.
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 18U;

/// All that a sink is handed, as lines.
class Lines final : public ChromeSink {
 public:
  void event(const ChromeEvent& event) override {
    text += fmt::format("{}|{}|{}|{}|{}|{:.17g}|{:.17g}", event.phase, event.name, event.category,
                        event.process, event.thread, event.start.value_or(Seconds{-1}).value,
                        event.duration.value_or(Seconds{-1}).value);
    for (std::size_t i = 0; i < event.arguments; ++i) {
      const ChromeArgument& argument = event.slots[i];
      text +=
          fmt::format("|{}={}:{:.17g}", argument.key, argument.text, argument.number.value_or(-1));
      for (const auto& list : argument.shapes)
        for (const double number : list)
          text += fmt::format(",{}", number);
    }
    text += '\n';
    ++events;
  }
  void stray() override { text += "stray\n"; }
  void property(const std::string& path, const ChromeArgument& value) override {
    text += fmt::format("{}={}{:g}\n", path, value.text, value.number.value_or(0));
  }

  std::string text;
  std::size_t events = 0;
};

Lines read(const std::string& text) {
  Lines lines;
  const auto source = open_text(text);
  read_chrome_json(*source, "t.json", lines);
  return lines;
}

std::string error_of(const std::string& text) {
  return input_error_of([&] { read(text); });
}

/// Every kind of value that an event of plain fields may have; a comma between objects in a text.
std::string event_text(std::size_t number) {
  return fmt::format(
      R"({{"ph": "X", "name": "f<{{lambda()#1}}, {{\"k\": 1}}, {{\"l\"}}>\u00e9", "cat": "kernel", "pid": {0},)"
      R"( "tid": "stream 7", "ts": 17000000000000{0:02}.125, "dur": {0}, "args": {{"stream": 7, "on": true,)"
      R"( "none": null, "id": 18446744073709551615, "ratio": -1.5e-3, "dims": [[2, 3], [], ["a"], 4]}}}})",
      number % 100);
}

std::string many_events(std::size_t size) {
  std::string text = event_text(0);
  for (std::size_t i = 1; text.size() < size; ++i)
    text += ",\n" + event_text(i);
  return text;
}

TEST(EventWindows, EventsAreTheSameReadByTheWindowOrOneByOne) {
  // What begins with an entry that is no event is read one by one as a whole.
  const std::string events = many_events(3 * kWindow);
  const Lines by_window = read("[" + events + "]");
  const Lines one_by_one = read("[null, " + events + "]");
  ASSERT_GT(by_window.events, 1000U);
  EXPECT_EQ("stray\n" + by_window.text, one_by_one.text);
  EXPECT_NE(by_window.text.find("f<{lambda()#1}, {\"k\": 1}, {\"l\"}>é|kernel|3|stream 7|3.0000"),
            std::string::npos);
}

TEST(EventWindows, WhateverStandsAtTheEndOfAWindowIsRead) {
  const std::string last = event_text(7);
  const std::size_t one = read("[" + last + "]").text.size();
  for (std::size_t shift = 0; shift < last.size() + 4; ++shift) {
    const std::string spaces(kWindow - 2 * last.size() + shift, ' ');
    const Lines lines =
        read("[" + last + "," + spaces + last + ", " + last + R"(, {"args": {"a": {"b": 1}}}])");
    ASSERT_EQ(lines.events, 4U) << shift;
    ASSERT_GT(lines.text.size(), 3 * one) << shift;
  }
}

TEST(EventWindows, AnEventLongerThanAWindowIsRead) {
  const std::string name(2 * kWindow, 'n');
  const Lines lines =
      read(fmt::format(R"([{}, {{"name": "{}"}}, {}])", event_text(1), name, event_text(2)));
  EXPECT_EQ(lines.events, 3U);
  EXPECT_NE(lines.text.find(name), std::string::npos);
}

TEST(EventWindows, WhatStandsBehindTheListIsRead) {
  const Lines lines = read(R"({"a": 1, "traceEvents": [)" + many_events(2 * kWindow) +
                           R"(], "b": {"c": [{"d": 2}, {"d": 3}]}})");
  EXPECT_EQ(lines.text.substr(0, 4), "a=1\n");
  EXPECT_EQ(lines.text.substr(lines.text.size() - 16), "b/c/d=2\nb/c/d=3\n");
}

TEST(EventWindows, ErrorsAreThoseOfReadingOneByOne) {
  const std::string events = many_events(2 * kWindow);
  for (const char* const end :
       {",]", R"( {"ph": "X"}])", R"(, {"ph": tru}, {"ph": "X"}])", R"(, {"a": 01}, {"ph": "X"}])",
        R"(, {"ph": 1 2}, {"ph": "X"}])", R"(, {"ph": "X")", "] 1", "\x01]", ", {\"a\": \"\xff\"}]",
        R"(, {"args": {"a": [1, 2}}, {"ph": "X"}])"}) {
    const std::string expected = error_of("[null," + events + end);
    EXPECT_TRUE(expected.starts_with("t.json: ")) << end;
    EXPECT_EQ(error_of("[     " + events + end), expected) << end;
  }
  EXPECT_EQ(error_of("[" + events + ",]"),
            fmt::format("t.json: byte {}: no JSON: found \"{}\"", events.size() + 3, "4]}},]"));
}

TEST(EventWindows, EventsInFrontOfAnErrorAreHandedOverOnce) {
  Lines lines;
  const std::string text =
      fmt::format(R"([{}, {}, {{"ph": 1 2}}, {}])", event_text(1), event_text(2), event_text(3));
  const auto source = open_text(text);
  EXPECT_NE(input_error_of([&] { read_chrome_json(*source, "t.json", lines); }), "");
  EXPECT_EQ(lines.events, 2U);
}

}  // namespace
}  // namespace stepcast
