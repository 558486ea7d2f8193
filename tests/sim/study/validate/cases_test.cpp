// Steps that others measured, which the repository does not hold: skipped where they are not there.
#include "sim/study/validate/cases/cases.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/study/validate/cases/case_setups.hpp"
#include "tests/support/recorded_data.hpp"

namespace stepcast {
namespace {

const std::string kHead =
    "set,model,layers,hidden,ffn,heads,kv_heads,seq,vocab,gpu,gpus,gpus_per_node,tp,pp,dp,"
    "micro_batch,global_batch,recompute,attention,sharding,precision,seconds\n";
const std::string kRow =
    "mine,m,4,1024,4096,16,16,1024,51200,a100-sxm4-80gb,8,8,2,2,2,1,16,full,unfused,none,fp16,1\n";

CaseResults results_of(const std::string& rows, const CaseOptions& options) {
  return predict_cases(parse_cases(kHead + rows, "t.csv"), options, [] {});
}

TEST(Cases, RowsOfAnUnknownSetNeedACluster) {
  const CaseResults without = results_of(kRow, {});
  EXPECT_TRUE(without.cases.empty());
  ASSERT_EQ(without.left_out.size(), 1U);
  EXPECT_EQ(without.left_out.begin()->first, "set mine has no cluster; name one as `cluster`");
  EXPECT_EQ(results_of(kRow, {.cluster = "dgx-a100"}).cases.size(), 1U);
}

TEST(Cases, OptionsGivenWinOverTheRow) {
  const auto step = [](const char* recompute) {
    return results_of(kRow, {.cluster = "dgx-a100", .options = {{"recompute", recompute}}})
        .cases.front()
        .predicted;
  };
  EXPECT_LT(step("none"), step("full"));
}

TEST(Cases, UseAsManyGpusOfANodeAsComeOutEven) {
  const auto left_out = [](const std::string& gpus_of_a_node) {
    const std::string row = "mine,m,4,1024,4096,16,16,1024,51200,b200,8," + gpus_of_a_node +
                            ",1,1,8,1,16,full,flash,none,fp16,1\n";
    return results_of(row, {.cluster = "dgx-b200"}).left_out.size();
  };
  EXPECT_EQ(left_out("72"), 0U);
  EXPECT_EQ(left_out("6"), 0U);  // four of each
  EXPECT_EQ(left_out("3"), 0U);  // two
  EXPECT_EQ(left_out("8"), 0U);
}

TEST(Cases, ErrorsOfASetAreThoseOfItsRows) {
  const CaseResults results = results_of(kRow + kRow, {.cluster = "dgx-a100"});
  ASSERT_EQ(results.sets.size(), 1U);
  const double error = results.cases.front().error();
  EXPECT_EQ(results.sets[0].cases, 2U);
  EXPECT_DOUBLE_EQ(results.sets[0].mean, std::abs(error));
  EXPECT_DOUBLE_EQ(results.sets[0].bias, error);
}

std::string error_of(const CaseOptions& options) {
  try {
    results_of(kRow, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Cases, OptionsAndClustersThatNobodyKnowsAreRefused) {
  EXPECT_EQ(error_of({.cluster = "dgx-a100", .options = {{"recomptue", "full"}}}),
            "`set` recomptue=full: expected an option of 1f1b or interleaved; did you mean "
            "\"recompute\"?");
  EXPECT_EQ(error_of({.cluster = "dgx-a100", .options = {{"zero", "seven"}}}),
            "`set` zero: expected one of 0, 1, 2, 3, found \"seven\"");
  EXPECT_EQ(error_of({.cluster = "nope"}), "unknown cluster \"nope\" (see stepcast list clusters)");
}

TEST(Cases, RowsOfAnotherDeviceThanTheClustersAreLeftOut) {
  const CaseResults results = results_of(kRow, {.cluster = "rtx2080ti-16x4-10gbe"});
  EXPECT_TRUE(results.cases.empty());
  ASSERT_EQ(results.left_out.size(), 1U);
  EXPECT_EQ(results.left_out.begin()->first, "ran on a100, rtx2080ti-16x4-10gbe has rtx2080ti");
}

std::string row_of(const std::string& model, const std::string& ffn) {
  return "mine," + model + ",32,4096," + ffn +
         ",32,8,4096,32000,h100,8,8,1,1,8,1,64,none,flash,zero1,bf16,3.0\n";
}

// The name alone decided: 2.51 s for made-7b, 3.23 s for llama-made-7b. 14,336 is 3.5 times 4,096
// and not 4 times, which GPT-2's recipe would have.
TEST(Cases, ANameAloneDecidesNothing) {
  const CaseResults results = results_of(
      row_of("made-7b", "14336") + row_of("llama-made-7b", "14336"), {.cluster = "dgx-h100"});
  ASSERT_EQ(results.cases.size(), 2U);
  EXPECT_EQ(results.cases[0].predicted, results.cases[1].predicted);
  EXPECT_TRUE(results.cases[0].form.gated);
  EXPECT_FALSE(results.cases[0].form.tied);
  ASSERT_EQ(results.guesses.size(), 1U);
  EXPECT_EQ(results.guesses.begin()->first,
            "an MLP that is gated, as ffn is 3.5 times hidden; a head of its own; no learned "
            "positions (columns that would say it: gated, tied, positions)");
  EXPECT_EQ(results.guesses.begin()->second.rows, 2U);
  EXPECT_EQ(results.guesses.begin()->second.first, "t.csv: line 2 (made-7b)");
}

TEST(Cases, AColumnWinsOverEveryTable) {
  const std::string head = kHead.substr(0, kHead.size() - 1) + ",gated,tied,positions\n";
  const auto row = [](const std::string& model, const std::string& gated) {
    const std::string made = row_of(model, "14336");
    return made.substr(0, made.size() - 1) + "," + gated + ",no,rotary\n";
  };
  const CaseResults results = predict_cases(
      parse_cases(head + row("made-7b", "yes") + row("made-7b", "no") + row("llama-3-8b", "no"),
                  "t.csv"),
      {.cluster = "dgx-h100"}, [] {});
  ASSERT_EQ(results.cases.size(), 3U);
  EXPECT_TRUE(results.guesses.empty());
  // A gated MLP has three matrices, another two.
  EXPECT_GT(results.cases[0].predicted, results.cases[1].predicted);
  EXPECT_EQ(results.cases[1].predicted, results.cases[2].predicted);
}

// Llama 3 8B is published: gated, with a head of its own. Another model of that name is not.
TEST(Cases, PublishedModelsAreKnownByNameAndSizes) {
  for (const char* name : {"llama-3-8b", "llama3-8b"}) {
    const CaseResults known = results_of(row_of(name, "14336"), {.cluster = "dgx-h100"});
    EXPECT_TRUE(known.guesses.empty()) << name;
    EXPECT_TRUE(known.cases.front().form.gated) << name;
    EXPECT_FALSE(known.cases.front().form.tied) << name;
    const CaseResults other = results_of(row_of(name, "16384"), {.cluster = "dgx-h100"});
    EXPECT_EQ(other.guesses.size(), 1U) << name;
    EXPECT_FALSE(other.cases.front().form.gated) << name;
  }
}

TEST(Cases, EveryRowHasALikelyRangeAroundItsForecast) {
  const CaseResults results = results_of(kRow, {.cluster = "dgx-a100"});
  const PredictedCase& row = results.cases.front();
  EXPECT_LT(row.likely.low, row.predicted);
  EXPECT_GT(row.likely.high, row.predicted);
  EXPECT_NE(row.likely.basis.find("models without experts on a100"), std::string::npos)
      << row.likely.basis;
}

// The table was refused as a whole.
TEST(Cases, ARowOfAnUnknownValueIsLeftOutWithItsReason) {
  std::string wrong = kRow;
  wrong.replace(wrong.find(",none,"), 6, ",zero3:shard_grad_op,");
  const CaseResults results = results_of(kRow + wrong + kRow, {.cluster = "dgx-a100"});
  EXPECT_EQ(results.cases.size(), 2U);
  ASSERT_EQ(results.left_out.size(), 1U);
  EXPECT_EQ(results.left_out.begin()->first,
            "sharding: expected none, zero0 to zero3, zero1:all, zero1:RANKS or zero3:full_shard, "
            "found \"zero3:shard_grad_op\"");
  EXPECT_EQ(results.left_out.begin()->second.first, "t.csv: line 3");
}

// Its reason was "no law of a100 for fp16", which has one.
TEST(Cases, AShapeThatCannotBeSaysWhatIsWrong) {
  const auto reason = [](const std::string& typed, const std::string& instead) {
    std::string odd = kRow;
    odd.replace(odd.find(typed), typed.size(), instead);
    const CaseResults results = results_of(odd, {.cluster = "dgx-a100"});
    return results.left_out.size() == 1 ? results.left_out.begin()->first : "";
  };
  EXPECT_NE(reason(",16,16,1024", ",15,15,1024").find("heads"), std::string::npos);
  // It took minutes.
  EXPECT_EQ(reason("m,4,1024", "m,999999999,1024"),
            "layers: expected at most 10000, found 999999999");
}

CaseErrors errors_of(const char* file) {
  const auto rows = read_cases(recorded_data(std::string("llm/") + file));
  return predict_cases(rows, {}, [] {}).sets.front();
}

// Nothing is fitted to these rows but what configs/cases/sets.json says of their sets.
TEST(Cases, VTrainsRunsOnManyNodes) {
  STEPCAST_SKIP_WITHOUT(recorded_data("llm/vtrain-multi.csv"));
  EXPECT_LE(errors_of("vtrain-multi.csv").mean, 0.08);
}

TEST(Cases, MeasuredBlocksThatAreOfNoRowAreRefused) {
  const std::string file =
      STEPCAST_SOURCE_DIR "/traces/blocks/gpt-hidden2048-a100-megatron-deepspeed.json";
  EXPECT_EQ(error_of({.cluster = "dgx-a100", .blocks = {file}}),
            file + ": expected rows of its device and shape (hidden 2048), found none");
}

// The blocks were derived from the rows without a pipeline: those with one are kept back.
TEST(Cases, MeasuredBlocksForecastPipelinesCloserThanTheLaw) {
  STEPCAST_SKIP_WITHOUT(recorded_data("llm/vtrain-single.csv"));
  auto rows = read_cases(recorded_data("llm/vtrain-single.csv"));
  std::erase_if(rows.rows, [](const MeasuredLayout& row) { return row.pipeline == 1; });
  CaseOptions measured;
  for (const char* hidden : {"1024", "2048"})
    measured.blocks.push_back(std::string(STEPCAST_SOURCE_DIR "/traces/blocks/gpt-hidden") +
                              hidden + "-a100-megatron-deepspeed.json");
  EXPECT_GT(predict_cases(rows, {}, [] {}).sets.front().mean, 0.08);
  EXPECT_LT(predict_cases(rows, measured, [] {}).sets.front().mean, 0.03);
}

// Rows of fp16 add up gradients at 2 bytes, of bf16 at 4 (configs/cases/sets.json says why).
TEST(Cases, APrecisionHasItsOwnSoftware) {
  const CaseSetup setup = load_case_setups().sets.at("bigscience-a100");
  EXPECT_EQ(setup.usual.at("gradient_bytes"), "4");
  EXPECT_EQ(setup.precisions.at("fp16").at("gradient_bytes"), "auto");
  EXPECT_EQ(setup.precisions.size(), 1U);
}

TEST(Cases, BigScienceRunsOnOmniPath) {
  STEPCAST_SKIP_WITHOUT(recorded_data("llm/bigscience-a100.csv"));
  EXPECT_LE(errors_of("bigscience-a100.csv").mean, 0.05);
  EXPECT_LE(errors_of("bigscience-v100.csv").mean, 0.09);
}

TEST(Cases, MegatronsPublishedSteps) {
  STEPCAST_SKIP_WITHOUT(recorded_data("llm/megatron-2022.csv"));
  EXPECT_LE(errors_of("megatron-2022.csv").mean, 0.04);
  EXPECT_LE(errors_of("megatron-2021.csv").mean, 0.05);
}

}  // namespace
}  // namespace stepcast
