#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "sim/report/fields/diagnosis_fields.hpp"
#include "sim/report/fields/reading.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const std::vector<PartSlowdown>& parts) {
  Json json = Json::object();
  for (const PartSlowdown& part : parts)
    json[part.name] = part.slowdown;
  return json;
}

/// Null where no times were recorded.
Json if_timed(const Diagnosis& diagnosis, double value) {
  return diagnosis.timed ? Json(value) : Json(nullptr);
}

Json spread_json(const StepSpread& spread) {
  return {{"p50_s", spread.p50.value}, {"p95_s", spread.p95.value}, {"max_s", spread.most.value}};
}

Json spreads_json(const Diagnosis& diagnosis) {
  return {
      {"recorded_step_s", diagnosis.timed ? spread_json(diagnosis.recorded_spread) : Json(nullptr)},
      {"simulated_step_s", spread_json(diagnosis.simulated_spread)},
      {"undelayed_step_s", spread_json(diagnosis.undelayed_spread)},
      {"ideal_step_s", spread_json(diagnosis.ideal_spread)}};
}

Json worst_json(const Diagnosis& diagnosis) {
  Json ranks = Json::array();
  for (const std::uint32_t rank : diagnosis.worst_ranks.ranks)
    ranks.push_back(diagnosis.ranks[rank].number);
  return ranks;
}

Json uneven_json(const Diagnosis& diagnosis) {
  if (!diagnosis.uneven_kernels)
    return nullptr;
  const UnevenKernels& uneven = *diagnosis.uneven_kernels;
  return {{"slowest_rank", diagnosis.ranks[uneven.slowest].number},
          {"fastest_rank", diagnosis.ranks[uneven.fastest].number},
          {"kinds", json_of(uneven_fields(), uneven.kinds)}};
}

Json buckets_json(const std::optional<LargerBuckets>& larger) {
  if (!larger)
    return nullptr;
  return {{"bucket_bytes", larger->size.value},
          {"step_s", larger->step.value},
          {"instead_of_s", larger->now.value}};
}

Json gains_json(const Gains& gains) {
  return {{"no_host_gaps_step_s", gains.no_host_gaps.value},
          {"even_ranks_step_s", json_value(gains.even_ranks)},
          {"even_stages_step_s", json_value(gains.even_stages)},
          {"faster_network_step_s", json_value(gains.faster_network)},
          {"free_network_step_s", json_value(gains.free_network)},
          {"larger_buckets", buckets_json(gains.larger_buckets)}};
}

Json steps_json(const Diagnosis& diagnosis) {
  Json steps = Json::array();
  for (const DiagnosedStep& step : diagnosis.replayed)
    steps.push_back({{"name", step.name},
                     {"recorded_s", if_timed(diagnosis, step.recorded.value)},
                     {"simulated_s", step.simulated.value}});
  return steps;
}

Json path_json(const Diagnosis& diagnosis) {
  Json kinds = Json::object();
  for (const KindOnPath& kind : diagnosis.path_by_kind)
    kinds[kind.name] = kind.share;
  std::vector<RankUse> uses = diagnosis.uses;
  std::ranges::stable_sort(uses, std::greater<>(), &RankUse::on_path);
  Json ranks = Json::array();
  for (const RankUse& use : uses)
    if (use.on_path > Seconds{})
      ranks.push_back({{"rank", diagnosis.ranks[use.rank].number},
                       {"share", use.on_path / diagnosis.undelayed_step}});
  Json stretches = Json::array();
  for (const PathStretch& stretch : diagnosis.stretches)
    stretches.push_back({{"rank", diagnosis.ranks[stretch.rank].number},
                         {"what", stretch.part},
                         {"begin_s", stretch.begin.value},
                         {"duration_s", stretch.duration.value}});
  return {{"kinds", kinds},
          {"ranks", ranks},
          {"changes_of_rank", diagnosis.changes_of_rank},
          {"step", diagnosis.path_step},
          {"stretches", stretches}};
}

Json jumps_json(const JobClocks& clocks) {
  Json jumps = Json::array();
  for (const JumpedClock& jump : clocks.jumps)
    jumps.push_back({{"clock", jump.host},
                     {"step", jump.step},
                     {"against", jump.against},
                     {"jump_s", jump.by.value}});
  return jumps;
}

Json uncoupled_json(const JobClocks& clocks) {
  Json names = Json::array();
  for (const std::uint32_t host : clocks.uncoupled)
    names.push_back(clocks.hosts[host].name);
  return names;
}

Json verdict_json(const Diagnosis& diagnosis) {
  return {{"kind", name_of(diagnosis.verdict.kind)},
          {"subject", diagnosis.verdict.subject},
          {"text", diagnosis.verdict.text}};
}

/// Of the times of all ranks.
Json means_json(const Diagnosis& diagnosis) {
  const auto mean = [&](Seconds RankUse::*time) { return mean_of_ranks(diagnosis, time).value; };
  return {{"computing_s", mean(&RankUse::computing)},
          {"communicating_s", mean(&RankUse::communicating)},
          {"exposed_communication_s", mean(&RankUse::exposed)},
          {"copies_s", mean(&RankUse::copies)},
          {"waiting_s", mean(&RankUse::waiting)},
          {"idle_for_host_s", mean(&RankUse::idle_for_host)},
          {"other_s", mean(&RankUse::other)}};
}

Json slowdowns_json(const Diagnosis& diagnosis) {
  return {{"rank", parts_json(diagnosis.by_rank)}, {"stage", parts_json(diagnosis.by_stage)},
          {"kind", parts_json(diagnosis.by_kind)}, {"data", parts_json(diagnosis.by_data)},
          {"node", parts_json(diagnosis.by_node)}, {"step", parts_json(diagnosis.by_step)}};
}

Json against_json(const Diagnosis& other) {
  return {{"job", other.job},
          {"steps", other.steps},
          {"recorded_step_s", if_timed(other, other.recorded_step.value)},
          {"undelayed_step_s", other.undelayed_step.value},
          {"ideal_step_s", other.ideal_step.value},
          {"step_spread", spreads_json(other)},
          {"slowdown", other.slowdown},
          {"slowdown_by", slowdowns_json(other)},
          {"rank_means", means_json(other)},
          {"verdict", verdict_json(other)}};
}

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis, const Diagnosis* against) {
  Json json{{"version", STEPCAST_VERSION},
            {"job", diagnosis.job},
            {"gpus", diagnosis.gpus},
            {"missing_ranks", diagnosis.missing.names},
            {"steps", diagnosis.steps},
            {"recorded_step_s", if_timed(diagnosis, diagnosis.recorded_step.value)},
            {"simulated_step_s", diagnosis.simulated_step.value},
            {"simulated_step_error", if_timed(diagnosis, diagnosis.step_error)},
            {"doubts", diagnosis.doubts},
            {"undelayed_step_s", diagnosis.undelayed_step.value},
            {"ideal_step_s", diagnosis.ideal_step.value},
            {"step_spread", spreads_json(diagnosis)},
            {"slowdown", diagnosis.slowdown},
            {"explained_by",
             {{"worst_ranks", json_value(diagnosis.worst_ranks.share)},
              {"last_stage", json_value(diagnosis.last_stage.share)}}},
            {"worst_ranks", worst_json(diagnosis)},
            {"slowdown_by", slowdowns_json(diagnosis)},
            {"rank_means", means_json(diagnosis)},
            {"verdict", verdict_json(diagnosis)},
            {"meetings_taken_apart", diagnosis.taken_apart},
            {"rows_restored", diagnosis.restored},
            {"rows_lost", diagnosis.lost},
            {"clocks", json_of(clock_fields(), clock_rows(diagnosis))},
            {"clock_jumps", jumps_json(diagnosis.clocks)},
            {"contradicted_steps", diagnosis.clocks.contradicted},
            {"uncoupled_clocks", uncoupled_json(diagnosis.clocks)},
            {"critical_path", path_json(diagnosis)},
            {"ranks", json_of(rank_fields(), rank_rows(diagnosis))},
            {"uneven_kernels", uneven_json(diagnosis)},
            {"cluster", diagnosis.cluster.empty() ? Json(nullptr) : Json(diagnosis.cluster)},
            {"meetings", json_of(meeting_fields(), meeting_rows(diagnosis))},
            {"gains", gains_json(diagnosis.gains)},
            {"replayed_steps", steps_json(diagnosis)}};
  if (diagnosis.pace.stalled_steps > 0)
    json["stalls"] = stalls_json(diagnosis.pace);
  if (against != nullptr)
    json["against"] = against_json(*against);
  return printed(json);
}

}  // namespace stepcast
