#include "traces/json/strict_json.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/input_error.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

/// The error of `action` on a reader of `text` at /link.
template <class Action>
std::string error_of(const char* text, Action action) {
  const nlohmann::json value = nlohmann::json::parse(text);
  return input_error_of([&] {
    ObjectReader reader(value, "c.json", "/link");
    action(reader);
  });
}

TEST(ObjectReader, ReadsValuesOfEachType) {
  const nlohmann::json value = nlohmann::json::parse(
      R"({"t": "x", "n": 1.5, "c": 3, "s": 0.25, "d": "2us", "z": "1KiB", "b": "8Gbps"})");
  ObjectReader reader(value, "c.json");
  EXPECT_EQ(reader.text("t"), "x");
  EXPECT_EQ(reader.number("n", 0), 1.5);
  EXPECT_EQ(reader.count("c", 1), 3U);
  EXPECT_EQ(reader.seconds("s"), Seconds{0.25});
  EXPECT_DOUBLE_EQ(reader.time_text("d").value, 2e-6);
  EXPECT_EQ(reader.size_text("z"), Bytes{1024});
  EXPECT_DOUBLE_EQ(reader.bandwidth_text("b").value, 1e9);  // 8 gigabits are 1 gigabyte
  EXPECT_NO_THROW(reader.finish());
}

TEST(ObjectReader, AbsentKeysGiveTheFallback) {
  const nlohmann::json value = nlohmann::json::object();
  ObjectReader reader(value, "c.json");
  EXPECT_EQ(reader.text_or("t", "y"), "y");
  EXPECT_EQ(reader.number_or("n", 0, 2.5), 2.5);
  EXPECT_EQ(reader.count_or("c", 0, 7), 7U);
  EXPECT_EQ(reader.time_text_or("d", Seconds{3}), Seconds{3});
  EXPECT_EQ(reader.size_text_or("z", Bytes{4}), Bytes{4});
  EXPECT_FALSE(reader.object_if("o"));
  EXPECT_TRUE(reader.objects_or_none("os").empty());
  EXPECT_TRUE(reader.texts_or_none("ts").empty());
}

TEST(ObjectReader, WrongTypeSaysWhatWasExpectedAndFound) {
  EXPECT_EQ(error_of(R"({"startup": 2})", [](ObjectReader& r) { r.time_text("startup"); }),
            "c.json: /link/startup: expected a time such as \"2us\", found 2");
  EXPECT_EQ(error_of(R"({"n": "a"})", [](ObjectReader& r) { r.number("n", 0); }),
            "c.json: /link/n: expected a number of at least 0, found \"a\"");
  EXPECT_EQ(error_of(R"({"t": [1]})", [](ObjectReader& r) { r.text("t"); }),
            "c.json: /link/t: expected a string, found an array");
  EXPECT_EQ(error_of(R"({"o": 1})", [](ObjectReader& r) { r.object("o"); }),
            "c.json: /link/o: expected an object, found 1");
  EXPECT_EQ(error_of(R"({"s": -1})", [](ObjectReader& r) { r.seconds("s"); }),
            "c.json: /link/s: expected a time in seconds of at least 0, found -1");
}

TEST(ObjectReader, WrongUnitNamesTheField) {
  const std::string error =
      error_of(R"({"b": "10us"})", [](ObjectReader& r) { r.bandwidth_text("b"); });
  EXPECT_EQ(error.find("c.json: /link/b: "), 0U) << error;
  EXPECT_NE(error.find("10us"), std::string::npos) << error;
}

TEST(ObjectReader, CountsAreWholeAndNotTooSmall) {
  const auto count = [](ObjectReader& r) { r.count("c", 1); };
  const std::string expected = "c.json: /link/c: expected a whole number of at least 1, found ";
  EXPECT_EQ(error_of(R"({"c": 0})", count), expected + "0");
  EXPECT_EQ(error_of(R"({"c": -4})", count), expected + "-4");
  EXPECT_EQ(error_of(R"({"c": 1.5})", count), expected + "1.5");
  EXPECT_EQ(error_of(R"({"c": 1e300})", count), expected + "1e+300");
  EXPECT_EQ(error_of(R"({"c": 25e6})", count), "no error");
}

TEST(ObjectReader, UnknownKeyIsAnErrorThatNamesTheNearest) {
  EXPECT_EQ(error_of(R"({"bandwith": 1})",
                     [](ObjectReader& r) {
                       r.number_or("bandwidth", 0, 1);
                       r.finish();
                     }),
            "c.json: /link: unknown key \"bandwith\"; did you mean \"bandwidth\"?");
}

TEST(ObjectReader, MissingKeyNamesALikelyTypo) {
  EXPECT_EQ(error_of(R"({"bandwith": 1})", [](ObjectReader& r) { r.number("bandwidth", 0); }),
            "c.json: /link/bandwidth: missing; was \"bandwith\" meant?");
  EXPECT_EQ(error_of("{}", [](ObjectReader& r) { r.number("bandwidth", 0); }),
            "c.json: /link/bandwidth: missing");
}

TEST(ObjectReader, ElementsOfArraysHaveTheirPosition) {
  EXPECT_EQ(error_of(R"({"a": [{}, 3]})", [](ObjectReader& r) { r.objects("a"); }),
            "c.json: /link/a/1: expected an object, found 3");
  EXPECT_EQ(error_of(R"({"a": ["x", 3]})", [](ObjectReader& r) { r.texts_or_none("a"); }),
            "c.json: /link/a/1: expected a string, found 3");
}

TEST(ObjectReader, RootMustBeAnObject) {
  const nlohmann::json value = nlohmann::json::array();
  EXPECT_EQ(input_error_of([&] { ObjectReader(value, "c.json"); }),
            "c.json: expected an object, found an array");
}

TEST(ObjectReader, ErrorsStayOnOneLineForKeysWithLineBreaks) {
  const std::string error = error_of("{\"a\\nb\": 1}", [](ObjectReader& r) { r.finish(); });
  EXPECT_EQ(error, "c.json: /link: unknown key \"a\\nb\"");
}

TEST(Provenance, SurvivesWritingAndReading) {
  const Provenance written = {ProvenanceKind::Derived, "paper", "roofline", {"one", "two"}};
  const nlohmann::json json = nlohmann::json::parse(provenance_json(written).dump());
  const Provenance read = read_provenance(ObjectReader(json, "w.json", "/provenance"));
  EXPECT_EQ(read.kind, ProvenanceKind::Derived);
  EXPECT_EQ(read.source, "paper");
  EXPECT_EQ(read.method, "roofline");
  EXPECT_EQ(read.notes, written.notes);
}

TEST(Provenance, UnknownKindAndEmptySourceAreRefused) {
  const auto error = [](const char* text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    return input_error_of([&] { read_provenance(ObjectReader(json, "w.json", "/provenance")); });
  };
  EXPECT_EQ(error(R"({"kind": "guessed", "source": "me"})"),
            "w.json: /provenance/kind: expected \"measured\", \"derived\" or \"assumed\", found "
            "\"guessed\"");
  EXPECT_EQ(error(R"({"kind": "assumed", "source": ""})"),
            "w.json: /provenance/source: expected who or what, found \"\"");
}

TEST(Provenance, NotesOnAFigureBeginWithItsName) {
  const Provenance provenance{.notes = {"batch 32 from batch 64: layer times stay", "batchnorm: no",
                                        "batch: of the logs", "the batch was given"}};
  EXPECT_EQ(
      notes_on(provenance, "batch"),
      (std::vector<std::string>{"batch 32 from batch 64: layer times stay", "batch: of the logs"}));
}

}  // namespace
}  // namespace stepcast
