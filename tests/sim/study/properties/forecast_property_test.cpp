// Properties of every forecast, see random_job.hpp.
#include "tests/sim/study/properties/random_job.hpp"

namespace stepcast {
namespace {

/// Finite (make_forecast() checks that itself), parts that add up, a step not shorter than its
/// compute.
void expect_sound(const Forecast& forecast, const RandomJob& job) {
  const Seconds time = forecast.iteration_time;
  EXPECT_NEAR(total_of(forecast.breakdown) / time, 1, 1e-6);
  for (const LinkLoad& link : forecast.links)
    EXPECT_LE(link.utilisation, 1 + 1e-6) << link.name;
  const Seconds compute =
      (forward_time(job.workload) + backward_time(job.workload)) * forecast.passes;
  EXPECT_GE(time / compute, 1 - 1e-9) << "a step is shorter than its compute";
}

TEST(ForecastProperties, AreSoundAtEveryFidelity) {
  for_each_case([](const RandomJob& job) {
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
      expect_sound(forecast_of_job(job, fidelity), job);
  });
}

TEST(ForecastProperties, AreTheSameFoldedAndUnfolded) {
  for_each_case([](const RandomJob& job) {
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      const Forecast folded = forecast_of_job(job, fidelity);
      const Forecast whole = forecast_of_job(job, fidelity, false);
      EXPECT_NEAR(folded.iteration_time / whole.iteration_time, 1, 1e-9) << name_of(fidelity);
      EXPECT_NEAR(folded.sent_per_gpu.value, whole.sent_per_gpu.value,
                  1e-9 * whole.sent_per_gpu.value);
      EXPECT_EQ(folded.memory.total(), whole.memory.total());
    }
  });
}

TEST(ForecastProperties, AreTheSameByFlowsAndByEveryMessageWithinTwoPercent) {
  for_each_case([](const RandomJob& job) {
    const Forecast flow = forecast_of_job(job, Fidelity::Flow);
    const Forecast step = forecast_of_job(job, Fidelity::Step);
    EXPECT_NEAR(flow.iteration_time / step.iteration_time, 1, 0.02);
  });
}

TEST(ForecastProperties, AreTheSameBytesAgain) {
  for_each_case([](const RandomJob& job) {
    EXPECT_TRUE(same(forecast_of_job(job, Fidelity::Flow), forecast_of_job(job, Fidelity::Flow)));
  });
}

TEST(ForecastProperties, AreMonotoneInTheComputeOfEveryLayer) {
  // Where streams run in order and nothing is decided at run time, a longer task delays others and
  // brings none forward. Schedules that choose at run time are exempt: these know anomalies.
  for_each_case([](const RandomJob& job) {
    const Plan plan = build_plan(job.schedule, job.workload, job.cluster, job.options);
    for (const Stream& stream : plan.streams)
      if (!std::holds_alternative<InOrder>(stream.rule))
        return;
    RandomJob slower = job;
    slower.workload = with_step_time(
        job.workload, 2 * (forward_time(job.workload) + backward_time(job.workload)));
    const Plan longer = build_plan(job.schedule, slower.workload, job.cluster, job.options);
    if (longer.graph.size() != plan.graph.size())
      return;  // it merges by the times of layers
    EXPECT_GE(forecast_of_job(slower, Fidelity::Analytic).iteration_time.value,
              forecast_of_job(job, Fidelity::Analytic).iteration_time.value * (1 - 1e-9));
  });
}

}  // namespace
}  // namespace stepcast
