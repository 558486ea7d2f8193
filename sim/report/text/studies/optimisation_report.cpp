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
    table.rows.push_back({edit.text,
                          edit.gpus > 0 ? gpus_in_words(edit.gpus) : milliseconds(edit.gain),
                          milliseconds(edit.step)});
  return render(table);
}

/// "64 GPUs", "64 GPUs, in the end 128 GPUs".
std::string sizes(const EditedStep& found) {
  const std::string before = gpus_in_words(found.gpus);
  return found.gpus_after == found.gpus
             ? before
             : fmt::format("{}, in the end {}", before, gpus_in_words(found.gpus_after));
}

/// Steps of different sizes are compared by what they do in a time, each GPU doing as much.
std::string outcome(const EditedStep& found) {
  const double times = found.step_before / found.step_after;
  const std::string before = format_seconds(found.step_before);
  const std::string after = format_seconds(found.step_after);
  if (found.gpus_after == found.gpus)
    return fmt::format("{} instead of {} a step: {:.3f} times as fast", after, before, times);
  const double work = static_cast<double>(found.gpus_after) / static_cast<double>(found.gpus);
  return fmt::format(
      "{} a step on {}, {} on {}: {:.3f} times as much work a second by {:.4g} times as many GPUs",
      after, gpus_in_words(found.gpus_after), before, gpus_in_words(found.gpus), work * times,
      work);
}

/// What a GPU holds and may hold, who says so, and what `run` would be told.
std::string memory_and_options(const EditedStep& found) {
  std::string text = "A GPU holds " + format_bytes(found.memory_after);
  if (found.memory_before != found.memory_after)
    text += " instead of " + format_bytes(found.memory_before);
  text += found.recorded > Seconds{} ? " as told" : " as planned";
  if (found.device_memory > Bytes{})
    text += fmt::format(", of the device's {}", format_bytes(found.device_memory));
  if (found.memory_limit > Bytes{})
    text += fmt::format(", and may hold {} as asked for", format_bytes(found.memory_limit));
  text += '.';
  if (!found.options.empty())
    text += " Options found:";
  for (const auto& [name, value] : found.options)
    text += fmt::format(" --set {}={}", name, value);
  return wrap(text, 0);
}

}  // namespace

std::string render_edited_step(const EditedStep& found) {
  std::string text;
  if (found.recorded > Seconds{})
    text = wrap(fmt::format("{}: {}; {} a step as recorded, replayed with an error of {:.2f} %",
                            found.subject, sizes(found), format_seconds(found.recorded),
                            100 * found.step_error),
                0);
  else
    text = fmt::format("{} on {}, {}, schedule {}, {} fidelity\n", found.subject, found.cluster,
                       sizes(found), found.schedule, name_of(found.fidelity));
  if (found.pace.stalled_steps > 0)
    text += wrap(describe(found.pace), 0);
  for (const std::string& note : found.notes)
    text += wrap("Note: " + note + ".", 6);
  text += '\n';
  const std::string replayed =
      found.replayed > 0 ? fmt::format("estimated: {}, ", found.replayed) : "";
  text += wrap(
      fmt::format("{}; edits accepted: {}, estimated: {}, steps {}simulated: {}.", outcome(found),
                  found.accepted.size(), found.tried, replayed, found.simulated),
      0);
  if (found.memory_after > Bytes{})
    text += memory_and_options(found);
  return fmt::format("{}\n{}\n{}", text, edits(found.step_before, found.accepted),
                     wrap("Now: " + found.bound_by, 5));
}

}  // namespace stepcast
