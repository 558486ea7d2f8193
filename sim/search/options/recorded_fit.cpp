#include "sim/search/options/recorded_fit.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostPasses = 64;

Seconds time_with(const EditRequest& request, const EditableStep& step) {
  return step.time(edited(step.graphs, request, step)).step;
}

Bytes with_passes(const RecordedMemory& memory, std::uint32_t passes) {
  return memory.total - *memory.activations + *memory.activations / static_cast<double>(passes);
}

/// The fewest passes that fit; none: not even the most do, or nobody knows.
std::optional<FittedRecording> accumulated(const RecordedMemory& memory, Bytes budget) {
  for (std::uint32_t passes = 2; memory.activations && passes <= kMostPasses; passes *= 2)
    if (const Bytes held = with_passes(memory, passes); held <= budget)
      return FittedRecording{
          .edits = {edit_request_of("accumulation", {{"passes", std::to_string(passes)}})},
          .change = fmt::format("accumulation over {} passes of a batch {} times smaller", passes,
                                passes),
          .before = memory.total,
          .after = held};
  return std::nullopt;
}

std::optional<FittedRecording> recomputed(const RecordedMemory& memory, Bytes budget) {
  if (!memory.recomputed)
    return std::nullopt;
  const Bytes held = memory.total - *memory.activations + *memory.recomputed;
  if (held > budget)
    return std::nullopt;
  return FittedRecording{.edits = {edit_request_of("recomputation", {})},
                         .change = "recomputation",
                         .before = memory.total,
                         .after = held};
}

[[noreturn]] void refuse(const RecordedMemory& memory, Bytes budget) {
  const std::string begin = fmt::format("`memory`: {} is not enough: {} as it is",
                                        format_bytes(budget), format_bytes(memory.total));
  if (!memory.activations)
    throw InputError(begin +
                     "; what of it are activations, which accumulation and recomputation save, is "
                     "not known: expected `holds` ..,activations=SIZE");
  const std::string passes =
      fmt::format("{} over {} passes", format_bytes(with_passes(memory, kMostPasses)), kMostPasses);
  if (!memory.recomputed)
    throw InputError(fmt::format(
        "{}, {}; what recomputation would keep is not known: expected `holds` ..,recomputed=SIZE",
        begin, passes));
  throw InputError(
      fmt::format("{}, {}, {} with recomputation", begin, passes,
                  format_bytes(memory.total - *memory.activations + *memory.recomputed)));
}

}  // namespace

RecordedMemory recorded_memory_of(
    const std::vector<std::pair<std::string, std::string>>& key_values) {
  RecordedMemory memory;
  std::set<std::string> known = {"total", "activations", "recomputed"};
  for (const auto& [key, value] : key_values)
    try {
      if (known.erase(key) == 0)
        throw InputError("expected total, activations or recomputed, each once");
      const Bytes size = parse_bytes(value);
      if (key == "total")
        memory.total = size;
      else if (key == "activations")
        memory.activations = size;
      else
        memory.recomputed = size;
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", key, error.what()));
    }
  if (!(memory.total > Bytes{}))
    throw InputError("expected total=SIZE above zero, such as total=14GiB,activations=9GiB");
  if (memory.recomputed && !memory.activations)
    throw InputError("recomputed: expected activations= beside it, of which it is what is kept");
  if (memory.activations && *memory.activations > memory.total)
    throw InputError("activations: expected no more than total");
  if (memory.recomputed && *memory.recomputed > *memory.activations)
    throw InputError("recomputed: expected no more than activations");
  return memory;
}

FittedRecording fitted_recording(const EditableStep& step, const MemoryWish& wish) {
  const auto& [memory, budget] = wish;
  if (memory.total <= budget)
    return {.edits = {}, .change = {}, .before = memory.total, .after = memory.total};
  auto smaller = accumulated(memory, budget);
  auto again = recomputed(memory, budget);
  if (smaller && again)
    return time_with(again->edits.front(), step) <= time_with(smaller->edits.front(), step)
               ? *again
               : *smaller;
  if (!smaller && !again)
    refuse(memory, budget);
  return smaller ? *smaller : *again;
}

void edit_recording(EditableStep step, std::vector<EditRequest> asked, bool search,
                    const std::optional<MemoryWish>& wish, EditedStep& result) {
  if (wish) {
    const FittedRecording fitted = fitted_recording(step, *wish);
    result.memory_limit = wish->budget;
    result.memory_before = fitted.before;
    result.memory_after = fitted.after;
    asked.insert(asked.begin(), fitted.edits.begin(), fitted.edits.end());
    if (!fitted.change.empty())
      step.notes.push_back(
          fmt::format("{} instead of {} a GPU by {}, by what the recording is told to hold",
                      format_bytes(fitted.after), format_bytes(fitted.before), fitted.change));
  }
  edit_step(std::move(step), asked, search, result);
}

}  // namespace stepcast
