#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/input_error.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

std::string error_of(std::string_view text) {
  return input_error_of([&] { parse_json(text, "f.json"); });
}

TEST(ParseJson, KeepsEveryKindOfValue) {
  const std::string_view text = R"({"a": [1, -2, 2.5, true, null, "x"], "b": {"c": {}}})";
  EXPECT_EQ(parse_json(text, "f.json"), nlohmann::json::parse(text));
}

TEST(ParseJson, SyntaxErrorNamesLineAndColumn) {
  // The bracket is the 8th character of the second line.
  const std::string error = error_of("{\n \"a\": ]}");
  EXPECT_EQ(error.find("f.json: line 2, column 7: "), 0U) << error;
  EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
}

TEST(ParseJson, TruncatedTextIsCalledSo) {
  EXPECT_EQ(error_of("{\"a\": [1, 2"),
            "f.json: line 1, column 12: the text ends too early (is the file truncated?)");
}

TEST(ParseJson, DuplicateKeyIsRefusedWithItsPlace) {
  const std::string error = error_of("{\"a\": 1,\n \"a\": 2}");
  EXPECT_EQ(error.find("f.json: line 2, column 4: the key \"a\" appears twice"), 0U) << error;
}

TEST(ParseJson, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_NO_THROW(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])", "f.json"));
}

TEST(ParseJson, BytesThatAreNotUtf8AreRefusedWithTheirPlace) {
  EXPECT_EQ(error_of("{\"a\":\n\"\xff\"}"),
            "f.json: line 2, column 2: this byte is not UTF-8 text");
}

TEST(ParseJson, OverlongAndSurrogateBytesAreNotUtf8) {
  EXPECT_EQ(error_of("\x1f\x8b\x08"),
            "f.json: compressed by gzip: unpack it, or import it if it is a trace");
  EXPECT_NE(error_of("\"\xc0\xaf\"").find("not UTF-8"), std::string::npos);
  EXPECT_NE(error_of("\"\xed\xa0\x80\"").find("not UTF-8"), std::string::npos);
  EXPECT_NE(error_of("\"\xf4\x90\x80\x80\"").find("not UTF-8"), std::string::npos);
  EXPECT_NE(error_of("\"\xe2\x82").find("not UTF-8"), std::string::npos);
  EXPECT_EQ(error_of("\"\xe2\x82\xac \xf0\x9f\x98\x80\""), "no error");  // a euro sign, an emoji
}

TEST(ParseJson, NotANumberAndInfinityAreRefusedByName) {
  for (const char* text : {"[NaN]", "[nan]", "[1, -NaN]"})
    EXPECT_NE(error_of(text).find("NaN is no JSON number"), std::string::npos) << error_of(text);
  for (const char* text : {"[Infinity]", "[-Infinity]", "[inf]"})
    EXPECT_NE(error_of(text).find("Infinity is no JSON number"), std::string::npos)
        << error_of(text);
  EXPECT_EQ(error_of("[nonsense]").find("NaN"), std::string::npos);
  EXPECT_NE(error_of("[1e999]").find("1e999"), std::string::npos) << error_of("[1e999]");
}

TEST(ParseJson, ACommentIsRefusedByName) {
  EXPECT_EQ(error_of("{\n  // of 2026\n}"), "f.json: line 2, column 3: JSON has no comments");
  EXPECT_EQ(error_of("[1] /* one */"), "f.json: line 1, column 5: JSON has no comments");
  EXPECT_EQ(error_of("# one\n[1]"), "f.json: line 1, column 1: JSON has no comments");
  EXPECT_EQ(error_of(R"(["//"])"), "no error");
}

TEST(ParseJson, TextAfterTheDocumentIsRefused) {
  EXPECT_EQ(error_of("{} {}").find("f.json: line 1, column 4: "), 0U) << error_of("{} {}");
}

TEST(ParseJson, ErrorsAreOneLineEvenForTextWithControlCharacters) {
  EXPECT_EQ(error_of("{\"a\n\": 1}").find('\n'), std::string::npos);
  EXPECT_EQ(error_of("{\"\\n\": 1, \"\\n\": 2}").find('\n'), std::string::npos);
}

TEST(ParseJson, DeepNestingIsRefusedBeforeItOverflowsAnything) {
  const std::string deep = std::string(257, '[') + std::string(257, ']');
  EXPECT_EQ(input_error_of([&] { parse_json(deep, "deep.json"); }),
            "deep.json: line 1, column 257: nested more than 256 levels deep");
  const std::string fine = std::string(256, '[') + std::string(256, ']');
  EXPECT_EQ(input_error_of([&] { parse_json(fine, "fine.json"); }), "no error");
  const std::string endless(std::size_t{1} << 20, '[');
  EXPECT_NE(input_error_of([&] { parse_json(endless, "x"); }).find("256 levels"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
