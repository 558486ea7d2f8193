#include <gtest/gtest.h>

#include "sim/report/text/measured/validation_report.hpp"

namespace stepcast {
namespace {

Validation with_error(MeasurementUse use, double error) {
  return {.workload = "w",
          .cluster = "c",
          .schedule = "bsp",
          .label = "",
          .gpus = 4,
          .use = use,
          .measured = Seconds{1},
          .predicted = Seconds{1 + error}};
}

TEST(Validate, SummarisesAbsoluteErrorsByUse) {
  const std::vector<Validation> validations{
      with_error(MeasurementUse::Check, -0.3), with_error(MeasurementUse::Check, 0.1),
      with_error(MeasurementUse::Check, 0.02), with_error(MeasurementUse::Check, -0.04),
      with_error(MeasurementUse::Bandwidth, 0.5)};
  const ErrorSummary summary = summarise(validations, MeasurementUse::Check);
  EXPECT_EQ(summary.cases, 4U);
  EXPECT_NEAR(summary.median, (0.04 + 0.1) / 2, 1e-12);
  EXPECT_NEAR(summary.worst, 0.3, 1e-12);
  EXPECT_EQ(summarise(validations, MeasurementUse::StartUp).cases, 0U);
  EXPECT_EQ(summarise_checks(validations, "bsp").cases, 4U);
  EXPECT_EQ(summarise_checks(validations, "wfbp").cases, 0U);
}

TEST(Validate, TheTableHasALineForASystemAndAColumnForANumberOfGpus) {
  std::vector<Validation> validations{with_error(MeasurementUse::Check, -0.3),
                                      with_error(MeasurementUse::Check, 0.1)};
  validations[1].gpus = 16;
  const std::string text = render_validation(validations);
  EXPECT_NE(text.find("4 GPUs                 | 16 GPUs "), std::string::npos) << text;
  EXPECT_NE(text.find("| bsp                  | 1.0000 0.7000  -30.0 % | 1.0000 1.1000  +10.0 % |"),
            std::string::npos)
      << text;
  validations[1].label = "another";
  EXPECT_NE(render_validation(validations).find("| bsp: another"), std::string::npos);
}

TEST(Validate, CountsTheGpusThatTrain) {
  const Measurements measurements = parse_measurements(
      R"({"format": "stepcast-measurements", "version": 1, "name": "m",
          "provenance": {"kind": "measured", "source": "us"},
          "cases": [{"workload": "resnet50-rtx2080ti-bs64", "cluster": "ideal-4x1",
                     "schedule": "ps", "label": "servers", "set": {"placement": "remote"},
                     "use": "check", "measured_s": 0.1}]})",
      "m.json");
  const auto validations = validate(measurements.cases, {}, Fidelity::Flow);
  EXPECT_EQ(validations[0].gpus, 2U);  // the other two serve
  EXPECT_EQ(validations[0].label, "servers");
}

TEST(Validate, SaysWhatWasExtrapolated) {
  const auto report_of = [](const std::string& nodes) {
    const std::string text =
        R"({"format": "stepcast-measurements", "version": 1, "name": "m",
            "provenance": {"kind": "measured", "source": "us"},
            "cases": [{"workload": "resnet50-v100-bs96", "cluster": "v100-32x4-edr",
                       "schedule": "ddp", "use": "check", "measured_s": 0.3, "nodes": )" +
        nodes + "}]}";
    return render_validation(
        validate(parse_measurements(text, "m.json").cases, {}, Fidelity::Flow));
  };
  EXPECT_NE(report_of("16").find("Note on 64 GPUs of v100-32x4-edr: Extrapolated: all-reduce"),
            std::string::npos)
      << report_of("16");
  EXPECT_EQ(report_of("8").find("xtrapolated"), std::string::npos);
}

TEST(Validate, SaysTheSameForAnyNumberOfWorkers) {
  const Measurements measurements = parse_measurements(
      R"({"format": "stepcast-measurements", "version": 1, "name": "m",
          "provenance": {"kind": "measured", "source": "us"},
          "cases": [{"workload": "resnet50-rtx2080ti-bs64", "cluster": "ideal-2x1",
                     "schedule": "wfbp", "use": "check", "measured_s": 0.1},
                    {"workload": "resnet50-rtx2080ti-bs64", "cluster": "ideal-4x1",
                     "schedule": "ddp", "label": "second", "use": "check", "measured_s": 0.2},
                    {"workload": "bert-base-rtx2080ti-bs64", "cluster": "ideal-4x1",
                     "schedule": "dear", "use": "check", "measured_s": 0.3}]})",
      "m.json");
  const auto alone = validate(measurements.cases, {}, Fidelity::Flow);
  int told = 0;
  const auto shared = validate(measurements.cases, {}, Fidelity::Flow,
                               {.workers = 3, .predicted = [&] { ++told; }});
  EXPECT_EQ(told, 3);
  ASSERT_EQ(shared.size(), 3U);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    EXPECT_EQ(shared[i].predicted, alone[i].predicted) << i;
    EXPECT_EQ(shared[i].notes, alone[i].notes) << i;
  }
  EXPECT_EQ(shared[1].label, "second");
  EXPECT_EQ(shared[1].gpus, 4U);
}

TEST(Validate, PredictsACaseAsItsExperimentSays) {
  // Two nodes of one GPU at 12.5 GB/s: BSP is the step time set plus 2 * 1/2 * 102,228,128 B over
  // it.
  const Measurements measurements = parse_measurements(
      R"({"format": "stepcast-measurements", "version": 1, "name": "m",
          "provenance": {"kind": "measured", "source": "us"},
          "cases": [{"workload": "resnet50-rtx2080ti-bs64", "cluster": "ideal-2x1",
                     "schedule": "bsp", "set": {"step_time": "100ms"}, "use": "check",
                     "measured_s": 0.1}]})",
      "m.json");
  const auto validations = validate(measurements.cases, {}, Fidelity::Flow);
  ASSERT_EQ(validations.size(), 1U);
  EXPECT_EQ(validations[0].gpus, 2U);
  EXPECT_NEAR(validations[0].predicted.value, 0.1 + 102228128 / 12.5e9, 1e-9);
  EXPECT_NEAR(validations[0].error(), 102228128 / 12.5e9 / 0.1, 1e-8);
}

}  // namespace
}  // namespace stepcast
