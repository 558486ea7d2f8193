#include "sim/report/json/diagnosis_json.hpp"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "sim/report/json/stalls_json.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const std::vector<PartSlowdown>& parts) {
  Json json = Json::object();
  for (const PartSlowdown& part : parts)
    json[part.name] = part.slowdown;
  return json;
}

/// Of what may not be recorded.
Json bytes_json(Bytes bytes) {
  return bytes > Bytes{} ? Json(bytes.value) : Json(nullptr);
}

Json bandwidth_json(const std::optional<BytesPerSecond>& bandwidth) {
  return bandwidth ? Json(bandwidth->value) : Json(nullptr);
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
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

Json rank_json(const RankUse& use, const JobRank& rank) {
  Json json = {
      {"rank", rank.number},
      {"data", rank.data},
      {"stage", rank.stage},
      {"slowdown", use.slowdown},
      {"computing_s", use.computing.value},
      {"communicating_s", use.communicating.value},
      {"exposed_communication_s", use.exposed.value},
      {"overlap", optional_json(use.overlap())},
      {"copies_s", use.copies.value},
      {"copies_alone_s", use.copies_alone.value},
      {"waiting_s", use.waiting.value},
      {"idle_for_host_s", use.idle_for_host.value},
      {"other_s", use.other.value},
      {"holding_s", use.holding.value},
      {"critical_path_s", use.on_path.value},
      {"replay_error", use.replay_error},
      {"short_kernels", optional_json(use.short_kernels)},
      {"launch_queue", optional_json(rank.device.queued)},
      {"launch_queue_empty", rank.device.queued ? Json(rank.device.queue_empty) : Json(nullptr)},
      {"allocated_bytes", bytes_json(rank.device.allocated)},
      {"reserved_bytes", bytes_json(rank.device.reserved)}};
  if (!rank.name.empty())
    json["name"] = rank.name;
  return json;
}

Json ranks_json(const Diagnosis& diagnosis) {
  Json ranks = Json::array();
  for (const RankUse& use : diagnosis.uses)
    ranks.push_back(rank_json(use, diagnosis.ranks[use.rank]));
  return ranks;
}

Json meetings_json(const Diagnosis& diagnosis) {
  Json meetings = Json::array();
  for (const MeetingCost& cost : diagnosis.meetings) {
    Json ranks = Json::array();
    for (const std::uint32_t rank : cost.ranks)
      ranks.push_back(diagnosis.ranks[rank].number);
    meetings.push_back({{"name", cost.name},
                        {"ranks", ranks},
                        {"message", cost.message},
                        {"count", cost.count},
                        {"transfer_s", cost.transfer.value},
                        {"exposed_communication_s", cost.exposed.value},
                        {"waiting_s", cost.waiting.value},
                        {"size_bytes", bytes_json(cost.size)},
                        {"busbw_bytes_per_s", bandwidth_json(cost.bus_bandwidth)},
                        {"cluster_busbw_bytes_per_s", bandwidth_json(cost.cluster_bandwidth)}});
  }
  return meetings;
}

Json uneven_json(const Diagnosis& diagnosis) {
  if (!diagnosis.uneven_kernels)
    return nullptr;
  const UnevenKernels& uneven = *diagnosis.uneven_kernels;
  Json kinds = Json::array();
  for (const UnevenKind& kind : uneven.kinds)
    kinds.push_back({{"kind", kind.name},
                     {"slowest_count", kind.slowest.count},
                     {"slowest_s", kind.slowest.time.value},
                     {"fastest_count", kind.fastest.count},
                     {"fastest_s", kind.fastest.time.value}});
  return {{"slowest_rank", diagnosis.ranks[uneven.slowest].number},
          {"fastest_rank", diagnosis.ranks[uneven.fastest].number},
          {"kinds", kinds}};
}

Json buckets_json(const std::optional<LargerBuckets>& larger) {
  if (!larger)
    return nullptr;
  return {{"bucket_bytes", larger->size.value},
          {"step_s", larger->step.value},
          {"instead_of_s", larger->now.value}};
}

Json gains_json(const Gains& gains) {
  const auto step = [](const std::optional<Seconds>& time) {
    return time ? Json(time->value) : Json(nullptr);
  };
  return {{"no_host_gaps_step_s", gains.no_host_gaps.value},
          {"even_ranks_step_s", step(gains.even_ranks)},
          {"even_stages_step_s", step(gains.even_stages)},
          {"faster_network_step_s", step(gains.faster_network)},
          {"free_network_step_s", step(gains.free_network)},
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

Json clocks_json(const Diagnosis& diagnosis) {
  Json clocks = Json::array();
  for (const HostClock& clock : diagnosis.clocks.hosts) {
    Json ranks = Json::array();
    for (const std::uint32_t rank : clock.ranks)
      ranks.push_back(diagnosis.ranks[rank].number);
    clocks.push_back({{"name", clock.name},
                      {"ranks", ranks},
                      {"offset_s", clock.offset.value},
                      {"half_width_s", clock.half_width.value},
                      {"drift", clock.drift},
                      {"collectives", clock.collectives},
                      {"violations_before", clock.violations_before},
                      {"violations_after", clock.violations_after},
                      {"part", clock.part}});
  }
  return clocks;
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
             {{"worst_ranks", optional_json(diagnosis.worst_ranks.share)},
              {"last_stage", optional_json(diagnosis.last_stage.share)}}},
            {"worst_ranks", worst_json(diagnosis)},
            {"slowdown_by", slowdowns_json(diagnosis)},
            {"rank_means", means_json(diagnosis)},
            {"verdict", verdict_json(diagnosis)},
            {"meetings_taken_apart", diagnosis.taken_apart},
            {"rows_restored", diagnosis.restored},
            {"rows_lost", diagnosis.lost},
            {"clocks", clocks_json(diagnosis)},
            {"clock_jumps", jumps_json(diagnosis.clocks)},
            {"contradicted_steps", diagnosis.clocks.contradicted},
            {"uncoupled_clocks", uncoupled_json(diagnosis.clocks)},
            {"critical_path", path_json(diagnosis)},
            {"ranks", ranks_json(diagnosis)},
            {"uneven_kernels", uneven_json(diagnosis)},
            {"cluster", diagnosis.cluster.empty() ? Json(nullptr) : Json(diagnosis.cluster)},
            {"meetings", meetings_json(diagnosis)},
            {"gains", gains_json(diagnosis.gains)},
            {"replayed_steps", steps_json(diagnosis)}};
  if (diagnosis.pace.stalled_steps > 0)
    json["stalls"] = stalls_json(diagnosis.pace);
  if (against != nullptr)
    json["against"] = against_json(*against);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepcast
