#include <algorithm>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/jobs/diagnose/pipelines/pipeline_record.hpp"

namespace stepcast {

std::vector<std::string> notes_of(const PipelineRecord& record) {
  std::vector<std::string> notes;
  constexpr double kPercent = 100;
  const auto any = [&](auto is_so) { return std::ranges::any_of(record.stages, is_so); };
  if (record.uneven_delays > Seconds{})
    notes.push_back(
        fmt::format("hosts delay the ranks of a stage unevenly, in a step one by {} more than the "
                    "mean, which all are given",
                    format_seconds(record.uneven_delays)));
  if (record.beside > 0)
    notes.push_back(
        fmt::format("{:.0f} % of the time of sums of gradients was recorded beside backward "
                    "passes; they are taken to begin behind the last one",
                    kPercent * record.beside));
  if (record.gathered_among > 0)
    notes.push_back(
        fmt::format("{:.0f} % of the time of gathers of parameters was recorded behind the first "
                    "pass; they are taken to end before it",
                    kPercent * record.gathered_among));
  if (any([](const StageRecord& stage) {
        return stage.sums.count > 0 && !stage.sums.scatters && stage.parameters.count > 0;
      }))
    notes.emplace_back(
        "gradients were recorded in all-reduces although parameters come back; they are taken to "
        "be reduce-scattered, which takes half as long");
  if (any([](const StageRecord& stage) {
        return stage.sums.scatters && stage.parameters.count == 0;
      }))
    notes.emplace_back(
        "gradients were recorded in reduce-scatters, but no gathers of parameters; as many bytes "
        "are taken to come back, which takes as long again");
  return notes;
}

}  // namespace stepcast
