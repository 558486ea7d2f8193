#include "sim/forecast/forecast_notes.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/text.hpp"
#include "sim/forecast/network_notes.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

bool sends_several_at_once(const Stream& stream) {
  const auto* rule = std::get_if<ByPriority>(&stream.rule);
  return rule && rule->at_once != 1;
}

void add_fidelity(Notes& notes, const Plan& plan, Fidelity fidelity) {
  if (fidelity == Fidelity::Analytic && std::ranges::any_of(plan.streams, sends_several_at_once))
    notes.push_back({NoteKind::Fidelity, "links",
                     "Analytic fidelity: transfers that are under way at once share links as "
                     "wholes; flow, which answers, shares them message by message: up to a tenth "
                     "faster."});
}

void add_memory(Notes& notes, const MemoryUse& memory, const Cluster& cluster) {
  const Bytes there = cluster.device.memory;
  if (there > Bytes{} && memory.total() > there)
    notes.push_back({NoteKind::Memory, "memory",
                     fmt::format("Does not fit: the GPU has {} of memory, the run needs {}.",
                                 format_bytes(there), format_bytes(memory.total()))});
  if (!memory.activations_known)
    notes.push_back(
        {NoteKind::Memory, "activations",
         "The trace does not give the activations of every layer: memory counts those it gives."});
}

void add_missing_inputs(Notes& notes, const Workload& workload, const Cluster& cluster) {
  if (cluster.ranks() > 1 && parameter_size(workload) <= Bytes{})
    notes.push_back(
        {NoteKind::Workload, "gradients",
         "The trace gives no sizes of gradients: the forecast is without their communication."});
  if (backward_time(workload) <= Seconds{})
    notes.push_back({NoteKind::Workload, "backward",
                     "The trace gives no backward times: the step is a forward pass only."});
}

void add_other_device(Notes& notes, const Workload& workload, const Cluster& cluster) {
  if (!cluster.device.name.empty() && workload.device != cluster.device.name)
    notes.push_back({NoteKind::Workload, "device",
                     fmt::format("Layer times are those of {}, although the cluster has {}.",
                                 workload.device, cluster.device.name)});
}

void add_host_gaps(Notes& notes, const Workload& workload) {
  const Seconds gaps = host_gap_time(workload);
  if (gaps > Seconds{})
    notes.push_back(
        {NoteKind::Workload, "host",
         fmt::format("Forward and backward hold {} in which the profiled device waited for the "
                     "host ({:.1f} % of them; layers of kind {}): a faster device does not "
                     "shorten these.",
                     format_seconds(gaps),
                     100 * (gaps / (forward_time(workload) + backward_time(workload))), kHostGap)});
}

void add_caveats(Notes& notes, const Workload& workload) {
  for (const std::string& caveat : workload.provenance.caveats)
    notes.push_back({NoteKind::Workload, "caveat", "Caveat of the workload: " + caveat});
}

// Where sizes come from, and what was assumed.
void add_recorded(Notes& notes, const Workload& workload) {
  if (workload.pipeline && !workload.provenance.notes.empty())
    notes.push_back(
        {NoteKind::Workload, "recorded",
         fmt::format("Recorded pipeline: {}.", fmt::join(workload.provenance.notes, "; "))});
}

void add_compression_source(Notes& notes, const Plan& plan, const Workload& workload) {
  if (plan.summary.compressed && workload.compression)
    notes.push_back(
        {NoteKind::Workload, "compression",
         fmt::format("Costs of compression {}: {}.", name_of(workload.compression->provenance.kind),
                     workload.compression->provenance.source)});
}

}  // namespace

Notes notes_of(const Plan& plan, const Workload& workload, const Cluster& cluster,
               Fidelity fidelity) {
  Notes notes = plan.notes;
  add_fidelity(notes, plan, fidelity);
  add_memory(notes, plan.memory, cluster);
  add_caveats(notes, workload);
  add_missing_inputs(notes, workload, cluster);
  add_other_device(notes, workload, cluster);
  add_host_gaps(notes, workload);
  add_recorded(notes, workload);
  add_compression_source(notes, plan, workload);
  std::ranges::move(network_notes(plan, cluster, fidelity), std::back_inserter(notes));
  return notes;
}

Notes warnings_of(const Forecast& forecast) {
  const auto is_one_of = [](const Note& note, std::initializer_list<const char*> subjects) {
    return std::ranges::any_of(subjects, [&](const char* each) { return note.subject == each; });
  };
  const auto warns = [&](const Note& note) {
    switch (note.kind) {
      case NoteKind::Scope:
        return note.subject == "iterations" && !forecast.steady && forecast.spread.seeds == 0;
      case NoteKind::Fidelity:
        return note.subject != "links";
      case NoteKind::Option:
      case NoteKind::Setting:
        return true;
      case NoteKind::Memory:
        return note.subject == "memory";
      case NoteKind::Workload:
        return is_one_of(note, {"gradients", "backward", "device", "batch", "caveat"});
      case NoteKind::Cluster:
        return is_one_of(note, {"size", "collectives", "caveat"});
    }
    return false;
  };
  Notes warnings;
  std::ranges::copy_if(forecast.notes, std::back_inserter(warnings), warns);
  std::stable_partition(warnings.begin(), warnings.end(),
                        [](const Note& note) { return note.kind == NoteKind::Memory; });
  return warnings;
}

Notes notes_of(const ScheduledJob& job, const PlannedRun& run) {
  return notes_of(run.plan, job.workload, job.cluster, job.engine.fidelity);
}

}  // namespace stepcast
