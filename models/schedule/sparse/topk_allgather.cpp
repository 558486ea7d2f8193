#include "models/schedule/sparse/topk_allgather.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/schedule/period.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace sparse {

TaskId gather_and_add(Step& step, const Tensor& tensor, TaskId ready) {
  const double entries = step.selected(tensor);
  const TaskId gathered = step.all_gather_entries(tensor, entries, ready);
  return step.work("unpacking", tensor,
                   scatter_add_time(step.costs(), entries * step.ranks(), tensor.elements),
                   gathered);
}

}  // namespace sparse

namespace {

using sparse::Settings;
using sparse::Step;
using sparse::Tensor;

// Time on a ring: 2(n-1) a + 2(n-1) k b, an entry being a value and an index.
Plan plan_of(const Workload& workload, const Cluster& cluster, const OptionReader& read,
             const Settings& settings, Selection selection) {
  Step step(workload, cluster, read, settings);
  step.pass(
      sparse::fused_tensors(workload, read),
      [&](const Tensor& tensor) { return step.compression_time(tensor, selection); },
      [&](const Tensor& tensor, TaskId ready) { return gather_and_add(step, tensor, ready); });
  return std::move(step).finish();
}

Plan build_topk_allgather(const Workload& workload, const Cluster& cluster,
                          const OptionReader& read) {
  const Settings settings = sparse::settings_of(read);
  return plan_of(workload, cluster, read, settings, settings.selection);
}

// Deep gradient compression begins with denser gradients: a stage an epoch, then `density`.
Plan build_dgc(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  if (read.is("warm_up", "done"))
    return build_topk_allgather(workload, cluster, read);
  Settings settings = sparse::settings_of(read);
  settings.density = read.choice_of<double>(
      "warm_up", {{"1", 0.25}, {"2", 0.0625}, {"3", 0.015625}, {"4", 0.004}, {"5", 0.001}});
  Plan plan = plan_of(workload, cluster, read, settings, settings.selection);
  plan.notes.push_back({NoteKind::Option, "density",
                        fmt::format("Warm-up stage {}: the density is {}, whatever `density` says.",
                                    read.text("warm_up"), settings.density)});
  return plan;
}

// A hard threshold that is found by `selection` every `threshold_every` steps and reused between.
Plan build_dct(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const Settings settings = sparse::settings_of(read);
  const auto step_with = [&](Selection selection) {
    const bool is_free = settings.selection == Selection::Free;
    return plan_of(workload, cluster, read, settings, is_free ? Selection::Free : selection);
  };
  const std::uint32_t every = read.count("threshold_every");
  if (every == 0)
    return step_with(Selection::Reused);
  const std::array kinds{step_with(settings.selection), step_with(Selection::Reused)};
  std::vector<std::uint32_t> order(every, 1);
  order.front() = 0;
  return period_of(kinds, order);
}

}  // namespace

ScheduleInfo topk_allgather_schedule() {
  return sparse::system_of(
      "topk-allgather", "top-k of each gradient; all ranks gather the selections of all and add up",
      "Lin et al., Deep Gradient Compression, ICLR 2018; Renggli et al., SparCML, SC "
      "2019",
      sparse::with_common_options({}, {}), build_topk_allgather);
}

ScheduleInfo dgc_schedule() {
  return sparse::system_of(
      "dgc", "topk-allgather with a sampled threshold and warm-up densities",
      "Lin et al., Deep Gradient Compression, ICLR 2018",
      sparse::with_common_options(
          {choice_option("warm_up", "done",
                         "done, or the stage from 1 to 5 with density .25, .0625, .015625, .004, "
                         ".001",
                         {"done", "1", "2", "3", "4", "5"})},
          {.density = "0.001", .selection = "sampled", .fusion = "layer"}),
      build_dgc);
}

ScheduleInfo sidco_schedule() {
  return sparse::system_of(
      "sidco", "topk-allgather with a threshold from a fitted distribution",
      "Abdelmoniem et al., SIDCo, MLSys 2021",
      sparse::with_common_options({}, {.density = "0.001", .selection = "fitted"}),
      build_topk_allgather);
}

ScheduleInfo dct_schedule() {
  return sparse::system_of(
      "dct", "hard threshold on gradients, refreshed rarely; gathered as topk-allgather",
      "Gupta et al., Dynamic Communication Thresholding, KDD 2021",
      sparse::with_common_options(
          {count_option("threshold_every", "0",
                        "steps between refreshes of the threshold; 0: so many that they do not "
                        "count",
                        {.most = kRepeats.most})},
          {.density = "0.01"}),
      build_dct);
}

}  // namespace stepcast
