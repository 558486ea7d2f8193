#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/huggingface/model_family.hpp"

namespace stepcast {
namespace {

/// A small table: the members of a family beside its type, the groups, tensors and notes.
struct Table {
  std::string family = R"("tensors": ["qkv"])";
  std::string groups{};
  std::string tensors = R"("qkv": ["block hidden queries", "2 block hidden key_values"])";
  std::string notes{};

  FamilyTable read() const {
    return parse_model_families(
        R"({"format": "stepcast-model-families", "version": 1, "notes": {)" + notes +
            R"(}, "provenance": {"kind": "derived", "source": "made up"}, "tensors": {)" + tensors +
            R"(}, "groups": [)" + groups + R"(], "families": [{"type": "x", )" + family + "}]}",
        "f.json");
  }
};

std::string error_of(const Table& table) {
  return input_error_of([&] { table.read(); });
}

std::string error_of_entry(const std::string& entry) {
  return error_of({.family = R"("tensors": ["qkv", ")" + entry + "\"]"});
}

TEST(ModelFamilies, AGroupStandsForItsTensors) {
  const FamilyTable table = Table{.family = R"("tensors": ["b"], "seq": 512)",
                                  .groups = R"({"name": "a", "tensors": ["qkv !bias=false"]},
                                               {"name": "b", "tensors": ["a", "qkv for LM"]})"}
                                .read();
  const ModelFamily& family = table.families.front();
  ASSERT_EQ(family.tensors.size(), 2U);
  EXPECT_EQ(family.tensors[0].key, "bias");
  EXPECT_TRUE(family.tensors[0].leaves_out);
  EXPECT_FALSE(family.tensors[0].usual);
  EXPECT_EQ(family.tensors[1].task, "LM");
  EXPECT_EQ(family.seq, 512U);
  EXPECT_EQ(table.tensors.at("qkv").back().count, 2U);
}

TEST(ModelFamilies, AConditionHasOneOfThreeForms) {
  for (const std::string entry : {"qkv x", "qkv bias=yes", "qkv =true", "qkv !=true", "qkv for",
                                  "qkv for ", "qkv a b c", "qkv ", "qkv bias=true=true"})
    EXPECT_EQ(error_of_entry(entry),
              "f.json: /families/0/tensors/1: expected the tensors alone, \"qkv KEY=true\", "
              "\"qkv !KEY=false\" or \"qkv for TASK\", found \"" +
                  entry + "\"");
}

TEST(ModelFamilies, AnUnknownNameOfTensorsIsRefused) {
  EXPECT_EQ(error_of_entry("kqv"),
            "f.json: /families/0/tensors/1: expected the name of tensors or of an earlier group, "
            "found \"kqv\"");
}

TEST(ModelFamilies, AGroupUsesEarlierOnesOnly) {
  for (const char* groups : {R"({"name": "a", "tensors": ["a"]})",
                             R"({"name": "b", "tensors": ["a"]}, {"name": "a", "tensors": []})"})
    EXPECT_EQ(error_of({.groups = groups}),
              "f.json: /groups/0/tensors/0: expected the name of tensors or of an earlier group, "
              "found \"a\"");
}

TEST(ModelFamilies, AGroupHasANameOfItsOwnAndNoCondition) {
  EXPECT_EQ(error_of({.groups = R"({"name": "qkv", "tensors": []})"}),
            "f.json: /groups/0/name: expected a name of its own, found \"qkv\" twice");
  EXPECT_EQ(error_of({.family = R"("tensors": ["a for LM"])",
                      .groups = R"({"name": "a", "tensors": ["qkv"]})"}),
            "f.json: /families/0/tensors/0: expected the group a without a condition; conditions "
            "belong to its tensors, found \"a for LM\"");
}

TEST(ModelFamilies, CountsAreNotCutOff) {
  EXPECT_EQ(error_of({.family = R"("seq": 4294967297)"}),
            "f.json: /families/0/seq: expected at most 4294967295, found 4294967297");
  EXPECT_EQ(error_of({.family = R"("inner": 2000)"}),
            "f.json: /families/0/inner: expected at most 1024, found 2000");
}

TEST(ModelFamilies, ATensorIsANumberAPartAndSizes) {
  EXPECT_EQ(error_of({.tensors = R"("a": ["blok hidden"])"}),
            "f.json: /tensors/a/0: expected a part: one of embedding, block, dense_block, "
            "sparse_block, expert, head, found \"blok\"");
  for (const std::string text : {"2", "block hidden hidden hidden"})
    EXPECT_EQ(error_of({.tensors = R"("a": ["block", ")" + text + "\"]"}),
              "f.json: /tensors/a/1: expected a number, a part and up to two sizes as in "
              "\"2 block hidden inner\", found \"" +
                  text + "\"");
  EXPECT_EQ(error_of({.tensors = R"("a": ["block width"])"}).substr(0, 55),
            "f.json: /tensors/a/0: expected a size: one of one, hidd");
}

TEST(ModelFamilies, AFamilyIsThereOnceWithAKnownQuirk) {
  EXPECT_EQ(error_of({.family = R"("seq": 1}, {"type": "x")"}),
            "f.json: /families/1/type: expected each family once, found \"x\" twice");
  EXPECT_TRUE(error_of({.family = R"("adjust": "odd")"})
                  .starts_with("f.json: /families/0/adjust: expected one of halved_inner, "));
}

TEST(ModelFamilies, ANoteIsOnAName) {
  EXPECT_EQ(error_of({.notes = R"("x": "a family", "qkv": "tensors")"}), "no error");
  EXPECT_EQ(error_of({.notes = R"("y": "nothing")"}),
            "f.json: /notes: expected names of tensors, groups or families, found \"y\"");
}

TEST(ModelFamilies, DataLackNoTensorsThatTheCodeNames) {
  EXPECT_EQ(input_error_of([] { tensors_called("head_matrix"); }), "no error");
  EXPECT_TRUE(input_error_of([] {
                tensors_called("heads_matrix");
              }).ends_with("configs/model_families.json: /tensors/heads_matrix: missing"));
}

}  // namespace
}  // namespace stepcast
