#include "traces/formats/stepcast/collectives_file.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

std::string file_with(const std::string& curves) {
  return R"({"format": "stepcast-collectives", "version": 1, "name": "made",
    "provenance": {"kind": "assumed", "source": "made up"}, "curves": [)" +
         curves + "]}";
}

const std::string kCurve =
    R"({"collective": "broadcast", "ranks": 8, "nodes": 2, "sizes_bytes": [1024, 4096],
        "times_s": [1e-5, 2.5e-5]})";

std::string error_of(const std::string& curves) {
  return input_error_of([&] { parse_collectives(file_with(curves), "c.json"); });
}

TEST(CollectivesFile, IsReadWithItsFit) {
  const MeasuredCollectives measured = parse_collectives(file_with(kCurve), "c.json");
  ASSERT_EQ(measured.curves.size(), 1U);
  EXPECT_EQ(measured.curves[0].points.at(1).time, Seconds{2.5e-5});
  EXPECT_EQ(measured.fits.size(), 1U);
}

TEST(CollectivesFile, IsWrittenAsItWasRead) {
  const std::string text = to_json_text(parse_collectives(file_with(kCurve), "c.json"));
  EXPECT_EQ(to_json_text(parse_collectives(text, "again")), text);
}

TEST(CollectivesFile, SaysThatItIsOfNcclAndWhatJoinsTheGpus) {
  std::string text = file_with(kCurve);
  EXPECT_FALSE(parse_collectives(text, "c.json").nccl);
  text.insert(1, R"("nccl": "pcie", )");
  const MeasuredCollectives measured = parse_collectives(text, "c.json");
  EXPECT_EQ(measured.nccl, NodePath::Pcie);
  EXPECT_EQ(parse_collectives(to_json_text(measured), "again").nccl, NodePath::Pcie);
  text.replace(text.find("pcie"), 4, "wire");
  EXPECT_EQ(input_error_of([&] { parse_collectives(text, "c.json"); }),
            "c.json: /nccl: expected nvlink or pcie, what joins the GPUs of a node, found "
            "\"wire\"");
}

TEST(CollectivesFile, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(error_of(""), "c.json: /curves: expected 1 to 4096 curves, found 0");
  EXPECT_EQ(
      error_of(kCurve + "," + kCurve),
      "c.json: /curves/1/ranks: expected one broadcast curve of 8 ranks on 2 nodes, found two");
  EXPECT_EQ(error_of(R"({"collective": "broadcast", "ranks": 8, "nodes": 3, "sizes_bytes": [1],
                         "times_s": [1]})"),
            "c.json: /curves/0/nodes: expected a divisor of 8 ranks, found 3");
  EXPECT_EQ(error_of(R"({"collective": "broadcast", "ranks": 8, "nodes": 2, "sizes_bytes": [2, 1],
                         "times_s": [1, 1]})"),
            "c.json: /curves/0/sizes_bytes: expected sizes that grow");
  EXPECT_EQ(
      error_of(R"({"collective": "broadcast", "ranks": 8, "nodes": 2, "sizes_bytes": [1, 2],
                         "times_s": [1, -1]})"),
      "c.json: /curves/0/times_s: expected numbers from 1e-09 to 1000000, found \"-1\" at place 2");
  EXPECT_EQ(error_of(R"({"collective": "gossip", "ranks": 8, "nodes": 2, "sizes_bytes": [1],
                         "times_s": [1]})"),
            "c.json: /curves/0/collective: expected one of all-reduce, reduce-scatter, all-gather, "
            "all-to-all, broadcast, reduce, found \"gossip\"");
}

TEST(CollectivesFile, ShippedFilesAreReadAndHaveProvenance) {
  const std::vector<std::string> names = list_names(CatalogKind::Collectives);
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    const MeasuredCollectives measured =
        read_collectives(find_file(CatalogKind::Collectives, name));
    EXPECT_EQ(measured.name, name);
    EXPECT_EQ(measured.provenance.kind, ProvenanceKind::Measured) << name;
    EXPECT_FALSE(measured.fits.empty()) << name;
  }
}

TEST(CollectivesFile, ClustersBringTheirCurves) {
  const Cluster cluster = load_cluster("v100-32x4-edr");
  ASSERT_TRUE(cluster.measured);
  EXPECT_EQ(cluster.measured->curves.size(), 8U);
}

TEST(CollectivesFile, AnotherLinkMakesTheCurvesVoid) {
  Settings settings;
  settings.cluster["nic.bandwidth"] = "50GBps";
  const Cluster faster = with_settings(load_cluster("v100-32x4-edr"), settings);
  ASSERT_TRUE(faster.measured);
  EXPECT_TRUE(faster.measured->fits.empty());
  EXPECT_EQ(faster.measured->name, "v100-32x4-edr-nccl");
}

}  // namespace
}  // namespace stepcast
