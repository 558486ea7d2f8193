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
  EXPECT_DOUBLE_EQ(law.flash_forward.value, 2 * known.flash_forward.value);
  EXPECT_DOUBLE_EQ(law.elementwise.value, 2 * known.elementwise.value);
  EXPECT_EQ(law.kernel, known.kernel);
  EXPECT_EQ(law.provenance.caveats,
            std::vector<std::string>{
                "Times of mine are those of h100 scaled by their data sheets: none was measured."});
}

TEST(TrainingLaws, AreLikeThoseOfDevicesWithOneOfTheirOwn) {
  const TraceFolder folder;
  for (const std::string like : {"h1000", "h200", "k80"}) {
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
  EXPECT_DOUBLE_EQ(law.flash_forward.value, 2 * load_training_law("h100").flash_forward.value);
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

}  // namespace
}  // namespace stepcast
