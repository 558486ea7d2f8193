// Blocks that were measured, in place of the device's law.
#include <fstream>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

const std::string kShape = "layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=a100";

std::string blocks_file(const std::string& rows) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = testing::TempDir() + "/blocks-" + test->name() + ".json";
  std::ofstream(path) << R"({"format": "stepcast-blocks", "version": 1, "device": "a100",
      "shape": {"hidden": 1024, "heads": 16, "ffn": 4096},
      "provenance": {"kind": "measured", "source": "me"}, "rows": [)"
                      << rows << "]}";
  return path;
}

std::string row(const std::string& more) {
  return R"({"micro_batch": 2, "seq": 512, "forward_s": 0.003, "backward_s": 0.008)" + more + "}";
}

const std::string kOneRank = row("");
const std::string kTwoRanks = row(R"(, "tp": 2, "messages": "inside")");

HybridRun run_of(const std::string& rows, ScheduleOptions options) {
  options["global_batch"] = "32";
  const std::string more = rows.empty() ? "" : ",blocks=" + blocks_file(rows);
  const Workload model = *find_transformer_model("transformer:" + kShape + more);
  Cluster cluster = load_cluster("dgx-a100");
  cluster.nodes = 1;
  return build_hybrid(schedule_of("1f1b"), model, cluster, options);
}

PartTimes block_of(const std::string& rows, ScheduleOptions options) {
  return times_of(run_of(rows, std::move(options)).job.units[1]);
}

TEST(MeasuredBlocks, TakeExactlyWhatTheyTook) {
  const PartTimes times = block_of(kOneRank, {{"micro_batch", "2"}});
  EXPECT_DOUBLE_EQ(times.forward.value, 0.003);
  EXPECT_DOUBLE_EQ((times.input_gradient + times.weight_gradient).value, 0.008);
}

TEST(MeasuredBlocks, WithMessagesTakeWithThemExactlyWhatTheyTook) {
  const HybridRun run = run_of(kTwoRanks, {{"tp", "2"}, {"micro_batch", "2"}});
  const ModelUnit& block = run.job.units[1];
  EXPECT_DOUBLE_EQ(times_of(block).forward.value, 0.003);
  EXPECT_GT(block.forward_wait.value, 0);
  EXPECT_DOUBLE_EQ((times_of(block).input_gradient + times_of(block).weight_gradient).value, 0.008);
}

// Measured x law of what is wanted / law of what was measured.
TEST(MeasuredBlocks, AtAnotherMicroBatchAreScaledByTheLaw) {
  const double measured = block_of("", {{"micro_batch", "2"}}).forward.value;
  const double wanted = block_of("", {{"micro_batch", "4"}}).forward.value;
  EXPECT_NEAR(block_of(kOneRank, {{"micro_batch", "4"}}).forward.value, 0.003 * wanted / measured,
              1e-15);
}

TEST(MeasuredBlocks, RecomputationAddsAForwardPassInTheLawsProportion) {
  const auto backward = [](const PartTimes& times) {
    return (times.input_gradient + times.weight_gradient).value;
  };
  const double law = backward(block_of("", {{"micro_batch", "2"}}));
  const double full = backward(block_of("", {{"micro_batch", "2"}, {"recompute", "full"}}));
  EXPECT_NEAR(backward(block_of(kOneRank, {{"micro_batch", "2"}, {"recompute", "full"}})),
              0.008 * full / law, 1e-15);
}

TEST(MeasuredBlocks, OtherPartsAndMemoryStayAsTheLawHasThem) {
  const HybridRun with = run_of(kOneRank, {{"micro_batch", "2"}});
  const HybridRun without = run_of("", {{"micro_batch", "2"}});
  for (const std::size_t end : {std::size_t{0}, with.job.units.size() - 1})
    EXPECT_EQ(times_of(with.job.units[end]).forward, times_of(without.job.units[end]).forward);
  EXPECT_EQ(with.hybrid.plan.memory.total(), without.hybrid.plan.memory.total());
}

TEST(MeasuredBlocks, NotesSayWhatWasMeasuredAndWhatScaled) {
  const auto notes_of = [](const HybridRun& run) {
    std::string texts;
    for (const Note& note : run.hybrid.plan.notes)
      if (note.subject == "blocks")
        texts += note.text + "\n";
    return texts;
  };
  EXPECT_EQ(notes_of(run_of(kOneRank, {{"micro_batch", "2"}})),
            "Times of the embedding: the device's law; it was not measured.\n"
            "Times of the block: as measured at tp 1, micro-batch 2 of 512 tokens.\n"
            "Times of the head: the device's law; it was not measured.\n");
  EXPECT_NE(notes_of(run_of(kOneRank, {{"tp", "4"}}))
                .find("measured at tp 1, micro-batch 2 of 512 tokens, and scaled by"),
            std::string::npos);
  EXPECT_EQ(notes_of(run_of("", {})), "");
}

TEST(MeasuredBlocks, WithMessagesOfOtherGroupsAreRefused) {
  EXPECT_NE(input_error_of([] {
              run_of(kTwoRanks, {{"tp", "4"}});
            })
                .find("blocks: expected a layout whose block was measured with its messages "
                      "(tp=2,cp=1,ep=1), found tp=4,cp=1,ep=1"),
            std::string::npos);
}

TEST(MeasuredBlocks, SchedulesThatDoNotCutTheModelTakeThemToo) {
  const Workload model =
      *find_transformer_model("transformer:" + kShape + ",batch=2,blocks=" + blocks_file(kOneRank));
  EXPECT_DOUBLE_EQ(model.layers[1].forward.value, 0.003);
  EXPECT_DOUBLE_EQ(model.layers[1].backward.value, 0.008);
  EXPECT_NE(model.provenance.source.find("measured parts: me"), std::string::npos);
}

TEST(MeasuredBlocks, OfAnotherModelOrDeviceAreRefused) {
  const std::string file = blocks_file(kOneRank);
  const auto error_with = [&](const std::string& shape) {
    return input_error_of(
        [&] { find_transformer_model("transformer:" + shape + ",blocks=" + file); });
  };
  EXPECT_EQ(error_with("layers=4,hidden=2048,heads=16,seq=512,vocab=1024,device=a100"),
            file + ": /shape/ffn: expected 8192, as in the model, found \"4096\"");
  EXPECT_EQ(error_with("layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=h100"),
            file + ": /device: expected \"h100\", the transformer's, found \"a100\"");
}

}  // namespace
}  // namespace stepcast
