#include "sim/report/text/studies/optimisation_report.hpp"

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string edits(Seconds before, const std::vector<AcceptedEdit>& accepted) {
  Table table{.columns = {{"accepted edit", Align::Left}, {"gain ms"}, {"step ms"}}};
  table.rows.push_back({"as it begins", "", milliseconds(before)});
  for (const AcceptedEdit& edit : accepted)
    table.rows.push_back({edit.text, milliseconds(edit.gain), milliseconds(edit.step)});
  return render(table);
}

std::string buckets(const Optimisation& found) {
  Table table{
      .columns = {{"bucket", Align::Left}, {"size"}, {"gradients"}, {"first", Align::Left}}};
  for (std::size_t i = 0; i < found.buckets.size(); ++i)
    table.rows.push_back({std::to_string(i), format_bytes(found.buckets[i].size),
                          std::to_string(found.buckets[i].gradients), found.buckets[i].first});
  return render(table);
}

/// What a GPU holds, and what `run` would be told.
std::string memory_and_options(const EditedStep& found) {
  std::string text = "A GPU holds " + format_bytes(found.memory_after);
  if (found.memory_before != found.memory_after)
    text += " instead of " + format_bytes(found.memory_before);
  if (found.device_memory > Bytes{})
    text += ", of " + format_bytes(found.device_memory);
  text += '.';
  if (!found.options.empty())
    text += " Options found:";
  for (const auto& [name, value] : found.options)
    text += fmt::format(" --set {}={}", name, value);
  return wrap(text, 0);
}

}  // namespace

std::string render_optimisation(const Optimisation& found) {
  const std::string title =
      fmt::format("{} on {}, {}, {} fidelity\n", found.workload, found.cluster,
                  gpus_in_words(found.gpus), name_of(found.fidelity));
  const std::string outcome =
      wrap(fmt::format("{} instead of {} a step: {:.3f} times as fast, by {} of {} edits that were "
                       "estimated, {} simulated.",
                       format_seconds(found.step_after), format_seconds(found.step_before),
                       found.step_before / found.step_after, found.accepted.size(), found.tried,
                       found.simulated),
           0);
  return fmt::format("{}\n{}\n{}\n{}\n{}", title, outcome, edits(found.step_before, found.accepted),
                     buckets(found), wrap("Now: " + found.bound_by, 5));
}

std::string render_edited_step(const EditedStep& found) {
  std::string text;
  if (found.recorded > Seconds{})
    text = wrap(fmt::format("{}: {}; {} a step as recorded, replayed with an error of {:.2f} %",
                            found.subject, gpus_in_words(found.gpus),
                            format_seconds(found.recorded), 100 * found.step_error),
                0);
  else
    text = fmt::format("{} on {}, {}, schedule {}\n", found.subject, found.cluster,
                       gpus_in_words(found.gpus), found.schedule);
  for (const std::string& note : found.notes)
    text += wrap("Note: " + note + ".", 6);
  text += '\n';
  text += wrap(fmt::format("{} instead of {} a step: {:.3f} times as fast; edits accepted: {}, "
                           "estimated: {}, steps simulated: {}.",
                           format_seconds(found.step_after), format_seconds(found.step_before),
                           found.step_before / found.step_after, found.accepted.size(), found.tried,
                           found.simulated),
               0);
  if (found.memory_after > Bytes{})
    text += memory_and_options(found);
  return fmt::format("{}\n{}\n{}", text, edits(found.step_before, found.accepted),
                     wrap("Now: " + found.bound_by, 5));
}

}  // namespace stepcast
