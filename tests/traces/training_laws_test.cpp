// Laws of devices that nobody measured.
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

std::string device_with(const std::string& law) {
  return R"({"format": "stepcast-device", "version": 1, "name": "mine", "peak_fp32_tflops": 67,
             "provenance": {"kind": "assumed", "source": "a test"},
             "memory_bandwidth": "6700GBps", "law": {)" +
         law + R"("provenance": {"kind": "assumed", "source": "a test"}}})";
}

TEST(TrainingLaws, LikeAnothersGoByTheDataSheets) {
  const TraceFolder folder;
  const TrainingLaw known = load_training_law("h100");
  const TrainingLaw law = load_training_law(
      folder.text("mine.json", device_with(R"("like": "h100", "peak_tflops": {"bf16": 1978},)")));
  ASSERT_EQ(law.products.size(), 1U);  // the sheet gives one precision
  const GemmLaw& products = products_of(law, "bf16");
  EXPECT_DOUBLE_EQ(products.peak.value, 2 * products_of(known, "bf16").peak.value);
  EXPECT_DOUBLE_EQ(products.bandwidth.value, 2 * products_of(known, "bf16").bandwidth.value);
  EXPECT_EQ(products.launch, products_of(known, "bf16").launch);
  EXPECT_DOUBLE_EQ(law.attention->forward.peak.value, 2 * known.attention->forward.peak.value);
  EXPECT_DOUBLE_EQ(law.attention->backward.peak.value, 2 * known.attention->backward.peak.value);
  EXPECT_DOUBLE_EQ(law.attention->bandwidth.value, 2 * known.attention->bandwidth.value);
  EXPECT_EQ(law.attention->forward.launch, known.attention->forward.launch);
  EXPECT_DOUBLE_EQ(law.elementwise.value, 2 * known.elementwise.value);
  EXPECT_EQ(law.kernel, known.kernel);
  EXPECT_EQ(law.provenance.caveats,
            std::vector<std::string>{
                "Times of mine are those of h100 scaled by their data sheets: none was measured."});
}

TEST(TrainingLaws, AreLikeThoseOfDevicesWithOneOfTheirOwn) {
  const TraceFolder folder;
  for (const std::string like : {"h1000", "h20", "k80"}) {
    const std::string file = folder.text(
        "mine.json", device_with(R"("like": ")" + like + R"(", "peak_tflops": {"bf16": 1},)"));
    EXPECT_EQ(
        input_error_of([&] { load_training_law(file); }),
        file + ": /law/like: expected a device with a law of its own, found \"" + like + "\"");
  }
}

TEST(TrainingLaws, NeedASheetWithAPrecisionThatWasMeasured) {
  const TraceFolder folder;
  const TrainingLaw law = load_training_law(
      folder.text("mine.json", device_with(R"("like": "h100", "peak_tflops": {"fp8": 3958},)")));
  EXPECT_DOUBLE_EQ(law.attention->forward.peak.value,
                   2 * load_training_law("h100").attention->forward.peak.value);
  const std::string file =
      folder.text("none.json", device_with(R"("like": "h100", "peak_tflops": {"fp32": 67},)"));
  EXPECT_EQ(input_error_of([&] { load_training_law(file); }),
            file + ": /law/peak_tflops: expected a precision of which h100 has products");
}

TEST(TrainingLaws, AreTheirOwnOrLikeAnothers) {
  const TraceFolder folder;
  const std::string file = folder.text(
      "mine.json", device_with(R"("like": "h100", "peak_tflops": {"bf16": 1}, "kernel": "4us",)"));
  EXPECT_EQ(input_error_of([&] { load_training_law(file); }),
            file + ": /law: unknown key \"kernel\"");
}

const char* const kProducts =
    R"("products": {"bf16": {"launch": "1us", "peak_tflops": 1, "bandwidth": "1GBps", "slots": 1,
       "tile_overhead": 1, "block": "1us", "split": "1us", "least_part": 1, "quantisation": 1}},
       "peak_tflops": {"bf16": 1}, "elementwise": "1GBps", "kernel": "1us", )";

// Files of before know attention by two rates.
TEST(TrainingLaws, AttentionMayBeTwoRates) {
  const TraceFolder folder;
  const std::string rates = R"("flash_forward_tflops": 2, "flash_backward_tflops": 1,)";
  const TrainingLaw law =
      load_training_law(folder.text("mine.json", device_with(kProducts + rates)));
  EXPECT_FALSE(law.attention);
  const AttentionShape shape{
      .heads = 1e6, .queries = 128, .keys = 128, .score_size = 64, .value_size = 64};
  EXPECT_DOUBLE_EQ(flash_forward_time(law, shape, 1).value,
                   1e-6 + 2.0 * 1e6 * 128 * 128 * 64 / 2e12);
  EXPECT_DOUBLE_EQ(flash_backward_time(law, shape, 1).value,
                   1e-6 + 2.5 * 2 * 1e6 * 128 * 128 * 64 / 1e12);
}

TEST(TrainingLaws, RangesOfShapesAreTheSmallestAndTheLargest) {
  const TraceFolder folder;
  const std::string rates = R"("flash_forward_tflops": 2, "flash_backward_tflops": 1,)";
  const std::string file = folder.text(
      "mine.json", device_with(kProducts + rates + R"("measured": {"seq": [4096, 512]},)"));
  EXPECT_EQ(
      input_error_of([&] { load_training_law(file); }),
      file + ": /law/measured/seq: expected the smallest and the largest, such as [512, 16384]");
}

// Each shipped law by shape: long sequences approach the rate of the peak, short ones do not, and
// backward takes two to four times as long. Below 2,048 tokens start-ups decide: those of the
// forward tables hold what programs for inference add.
TEST(TrainingLaws, ShippedAttentionIsFasterTheLongerTheSequence) {
  for (const char* device : {"a100", "h100", "h200", "b200", "gb200", "b300", "gb300", "l40s"}) {
    const TrainingLaw law = load_training_law(device);
    double before = 0;
    for (const double tokens : {512.0, 2048.0, 8192.0, 32768.0}) {
      const AttentionShape shape{.heads = 32,
                                 .kv_heads = 8,
                                 .queries = tokens,
                                 .keys = tokens,
                                 .score_size = 128,
                                 .value_size = 128};
      const Seconds forward = flash_forward_time(law, shape, 1);
      const double rate = attention_flops(shape).value / forward.value;
      EXPECT_GT(rate, before) << device << " " << tokens;
      before = rate;
      if (tokens < 2048)
        continue;
      EXPECT_GT(flash_backward_time(law, shape, 1), 1.5 * forward) << device << " " << tokens;
      EXPECT_LT(flash_backward_time(law, shape, 1), 5 * forward) << device << " " << tokens;
    }
    EXPECT_LT(before, law.peak.at("bf16").value) << device;
  }
}

// The cast reads an element of 16 bits twice and writes 8 bits.
TEST(TrainingLaws, CastsTakeTimeOfFp8Alone) {
  const TrainingLaw law = load_training_law("h100");
  EXPECT_EQ(cast_time(law, "bf16", 1e9), Seconds{});
  EXPECT_DOUBLE_EQ(cast_time(law, "fp8", 1e9).value,
                   (law.cast_launch + Bytes{5e9} / law.cast).value);
  EXPECT_GT(cast_time(law, "fp8", 1e9), Seconds{1e-3});
}

}  // namespace
}  // namespace stepcast
