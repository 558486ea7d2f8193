#pragma once

#include <string>
#include <vector>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {

inline constexpr const char* kPipelineOrders[] = {"gpipe", "1f1b", "interleaved", "zb-h1",
                                                  "zb-h2", "zb-v", "dualpipe"};

/// Eight layers of 1 ms forward and 2 ms backward on four stages and two copies, activations of a
/// megabyte, eight micro-batches. Gradients leave layer by layer.
struct EditedPipeline {
  Workload model = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 1'000'000);
  Cluster cluster = examples::plain_cluster(2, 4);
  EngineOptions engine{.fidelity = Fidelity::Analytic};
  ScheduleOptions options{{"pp", "4"}, {"global_batch", "16"}, {"bucket", "0B"}};
  std::string schedule = "1f1b";

  EditedPipeline() {
    for (Layer& layer : model.layers)
      layer.activation = Bytes{1e6};
  }

  HybridRun run() const { return build_hybrid(schedule_of(schedule), model, cluster, options); }

  EditedStep edited_by(const std::vector<std::string>& edits, bool search = false) const {
    std::vector<EditRequest> asked;
    for (const std::string& edit : edits)
      asked.push_back(parse_edit_request(edit));
    const HybridRun planned = run();
    EditedStep result;
    edit_step(editable_step(planned.hybrid.plan, planned.job, model, cluster, engine), asked,
              search, result);
    return result;
  }

  double step_after(const std::vector<std::string>& edits) const {
    return edited_by(edits).step_after.value;
  }
  std::string error_of(const std::string& edit) const {
    return input_error_of([&] { edited_by({edit}); });
  }
};

}  // namespace stepcast
