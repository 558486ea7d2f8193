// Groups of ranks and what is reduced in them, on variations of the small trace.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_trace.hpp"

namespace stepcast {
namespace {

constexpr const char* kNoted = "\"Group size\": 2,";

/// The small trace as of a job of four ranks.
std::string of_four(const std::string& arguments) {
  return all_replaced(all_replaced(small_trace(), "\"world_size\": 2", "\"world_size\": 4"), kNoted,
                      arguments);
}

RankRecord record_of(const std::string& text) {
  ImportReport report;
  return *inspect_kineto(text, report).rank;
}

std::string without_shapes(const std::string& text) {
  return all_replaced(all_replaced(text, ", \"Input Dims\": [[8", ", \"x\": [[8"),
                      "{\"Input Dims\": [[", "{\"x\": [[");
}

std::vector<std::uint32_t> group_of(const std::string& text) {
  const RankRecord record = record_of(text);
  return record.collectives.empty() ? std::vector<std::uint32_t>{99}
                                    : record.collectives.front().group;
}

using Ranks = std::vector<std::uint32_t>;

TEST(KinetoGroups, TheRanksOfAGroupAreThoseInTheEvent) {
  EXPECT_EQ(group_of(of_four(R"("Process Group Ranks": "[0, 2]", "Group size": 2,)")),
            (Ranks{0, 2}));
  EXPECT_EQ(
      group_of(of_four(R"("Global rank start": 1, "Global rank stride": 2, "Group size": 2,)")),
      (Ranks{1, 3}));
}

TEST(KinetoGroups, ARanksListThatIsCutShortIsTakenFromTheHead) {
  const std::string cut =
      of_four(R"("Process Group Name": "7", "Process Group Ranks": "[0, ...]", "Group size": 2,)");
  EXPECT_TRUE(record_of(cut).collectives.empty());  // Which two of four is not known.
  EXPECT_EQ(
      group_of(all_replaced(cut, "\"world_size\": 4",
                            R"("world_size": 4, "pg_config": [{"pg_name": "0", "ranks": [0, 1]},
                                 {"pg_name": "7", "pg_size": 2, "ranks": [1, 0]}])")),
      (Ranks{0, 1}));
}

TEST(KinetoGroups, AllRanksAreNoGroupOfTheirOwn) {
  EXPECT_EQ(group_of(small_trace()), Ranks{});
}

TEST(KinetoGroups, NumbersOfCollectivesAreKept) {
  EXPECT_EQ(record_of(all_replaced(small_trace(), kNoted, R"("Group size": 2, "Seq": 41,)"))
                .collectives.front()
                .sequence,
            41U);
}

// ---- gradients of sharded training

TEST(KinetoGroups, ReduceScattersTellTheSizesOfGradients) {
  const std::string text =
      all_replaced(without_shapes(small_trace()), "\"allreduce\"", "\"_reduce_scatter_base\"");
  ImportReport report;
  EXPECT_EQ(parameter_count(import_kineto(text, {.batch = 8}, report)), 150U);
}

TEST(KinetoGroups, RecordedShapesOfShardsAreNotTheGradients) {
  // 600 elements are reduced; shapes of 100 and 50 are the shards of a quarter.
  const std::string text =
      all_replaced(all_replaced(small_trace(), "\"allreduce\"", "\"_reduce_scatter_base\""),
                   "\"In msg nelems\": 150", "\"In msg nelems\": 600");
  ImportReport report;
  EXPECT_EQ(parameter_count(import_kineto(text, {}, report)), 600U);
  EXPECT_TRUE(report.clean());
}

TEST(KinetoGroups, AllGathersOfTheForwardPassTellTheSizesOfGradients) {
  // Moved to the front of the training thread, the collective gathers conv2d's parameters.
  std::string text = without_shapes(small_trace());
  text = all_replaced(text, "\"allreduce\"", "\"_allgather_base\"");
  text = all_replaced(text, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                      "ncclDevKernel_AllGather_RING_LL");
  for (const char* step : {"5", "6"}) {
    const std::string s = step;
    text = all_replaced(text, "\"pid\": 1, \"tid\": 2, \"ts\": " + s + "395",
                        "\"pid\": 1, \"tid\": 1, \"ts\": " + s + "002");
    text = all_replaced(text, "\"ts\": " + s + "410", "\"ts\": " + s + "004");
  }
  ImportReport report;
  const Workload workload = import_kineto(text, {.batch = 8}, report);
  EXPECT_EQ(parameter_count(workload), 150U);
  const auto conv = std::ranges::find(workload.layers, "conv2d-0", &Layer::name);
  ASSERT_NE(conv, workload.layers.end());
  EXPECT_EQ(conv->parameters.size(), 1U);
}

TEST(KinetoGroups, AnArchitectureGivesTheGradientsThatATraceLacks) {
  std::string text = without_lines(without_shapes(small_trace()), "nccl");
  const Architecture small{
      .name = "small",
      .layers = {{.name = "conv", .kind = LayerKind::Conv2d, .parameters = {{"weight", 50}}},
                 {.name = "fc", .kind = LayerKind::Linear, .parameters = {{"weight", 100}}}}};
  ImportReport report;
  import_kineto(text, {.batch = 8}, report);
  EXPECT_EQ(report.doubtful().count("gradient sizes that the trace does not tell"), 1U);
  ImportReport clean;
  import_kineto(text, {.batch = 8, .architecture = small}, clean);
  EXPECT_EQ(clean.doubtful().count("gradient sizes that the trace does not tell"), 0U);
}

}  // namespace
}  // namespace stepcast
