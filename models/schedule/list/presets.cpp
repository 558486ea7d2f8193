#include "models/schedule/list/presets.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"

// Every value is from a program or document of the authors, which `source` names; what they leave
// open keeps the schedule's default, which may be the cluster's.

namespace stepcast {
namespace {

std::vector<Preset> of_libraries() {
  return {
      {.name = "ddp-vldb20",
       .schedule = "ddp",
       .meaning = "PyTorch's default buckets: 25 MiB, the first 1 MiB",
       .source = "Li et al., PyTorch Distributed, VLDB 2020",
       .options = {{"bucket", "25MiB"}, {"first_bucket", "1MiB"}}},
      {.name = "fsdp",
       .schedule = "zero",
       .meaning = "stage 3: parameters, gradients and optimiser sharded",
       .source = "Zhao et al., PyTorch FSDP, VLDB 2023",
       .options = {{"stage", "3"}}},
      {.name = "horovod-0.19",
       .schedule = "horovod",
       .meaning = "defaults: cycle 5 ms, buffer 64 MiB, response cache",
       .source = "horovod/horovod, CHANGELOG.md: defaults changed in 0.21.0 (#2468)",
       .options = {{"cycle", "5ms"}, {"fusion_buffer", "64MiB"}, {"response_cache", "on"}}},
      {.name = "horovod-0.21",
       .schedule = "horovod",
       .meaning = "defaults: cycle 1 ms, buffer 128 MiB, response cache",
       .source = "horovod/horovod, CHANGELOG.md: 0.21.0 (#2468)",
       .options = {{"cycle", "1ms"}, {"fusion_buffer", "128MiB"}, {"response_cache", "on"}}},
      {.name = "horovod-icdcs23",
       .schedule = "horovod",
       .meaning = "DeAR's baseline: 64 MiB, no response cache, host ahead",
       .source = "Zhang et al., DeAR, ICDCS 2023; the cache is inferred from the published step of "
                 "ResNet-50; lzhangbv/dear_pytorch, horovod/imagenet_benchmark.py: the host waits "
                 "for its device once a step",
       .options = {{"cycle", "5ms"},
                   {"fusion_buffer", "64MiB"},
                   {"response_cache", "off"},
                   {"run_ahead", "on"}}},
  };
}

std::vector<Preset> of_systems() {
  return {
      {.name = "dear-icdcs23",
       .schedule = "dear",
       .meaning = "buffer found by ten trials of Bayesian optimisation",
       .source = "Zhang et al., DeAR, ICDCS 2023; lzhangbv/dear_pytorch, dear/dopt_rsag_bo.py",
       .options = {{"fusion", "bo"}, {"fusion_buffer", "25MiB"}}},
      {.name = "mg-wfbp-infocom19",
       .schedule = "mg-wfbp",
       .meaning = "the released planner's line: 64 workers, 10 GbE",
       .source = "lzhangbv/dear_pytorch, mgwfbp/dopt.py: 3 x 2.3476 ms, 0.96433 ns a byte",
       .options = {{"startup", "7.0429ms"}, {"time_per_byte", "0.96433ns"}}},
      {.name = "mg-wfbp-infocom19-rdma",
       .schedule = "mg-wfbp",
       .meaning = "the same with RDMA",
       .source = "lzhangbv/dear_pytorch, mgwfbp/dopt.py: 0.80632 ms, 1.8 x 0.32713 ns a byte",
       .options = {{"startup", "0.80632ms"}, {"time_per_byte", "0.58884ns"}}},
      {.name = "bytescheduler-sosp19",
       .schedule = "bytescheduler",
       .meaning = "partitions of 4M values, a credit of 16M in flight",
       .source = "HKBU-HPML/ddl-benchmarks, bytescheduler/horovod_mpi_cj.sh",
       .options = {{"partition", "16MB"}, {"credit", "64MB"}}},
      {.name = "byteps-osdi20",
       .schedule = "ps",
       .meaning = "partitions of 4,096,000 bytes, servers on nodes of their own",
       .source = "Jiang et al., BytePS, OSDI 2020; HKBU-HPML/ddl-benchmarks, byteps/launch.sh",
       .options = {{"placement", "remote"}, {"partition", "4096000B"}}},
  };
}

// K-FAC as its scripts launch it: Horovod 0.19's defaults, HOROVOD_CACHE_CAPACITY=0.
std::vector<Preset> of_curvature() {
  const std::string script = "lzhangbv/kfac_pytorch, launch_horovod.sh";
  const ScheduleOptions horovod{
      {"cycle", "5ms"}, {"fusion_buffer", "64MiB"}, {"response_cache", "off"}};
  ScheduleOptions smart = horovod;
  smart.insert({{"fusion", "optimal"},
                {"fusion_startup", "929us"},
                {"fusion_time_per_element", "1.4335ns"},
                {"placement", "lbp"},
                {"balance", "threshold"},
                {"balance_threshold", "1400"}});
  const std::string meaning = "Horovod: cycle 5 ms, buffer 64 MiB, no response cache";
  return {
      {"d-kfac-icdcs21", "d-kfac", meaning, "Shi et al., SPD-KFAC, ICDCS 2021; " + script, horovod},
      {"mpd-kfac-icdcs21", "mpd-kfac", meaning, "Shi et al., SPD-KFAC, ICDCS 2021; " + script,
       horovod},
      {"kaisa-sc21", "kaisa", meaning, "Pauloski et al., KAISA, SC 2021; " + script, horovod},
      {"spd-kfac-icdcs21", "spd-kfac", "the same; planned fusion; inverses from 1400 on one rank",
       "Shi et al., SPD-KFAC, ICDCS 2021; " + script, smart},
      {"pad-kfac-prototype", "pad-kfac", meaning, script, horovod},
      {"dp-kfac-2022", "dp-kfac", meaning, "Zhang et al., DP-KFAC, 2022; " + script, horovod}};
}

std::vector<Preset> of_selections() {
  return {{.name = "topka2a-icpp24",
           .schedule = "topka2a",
           .meaning = "2 % of the gradient; buffer found by binary search",
           .source = "Peng, Li, Shi, Li, TopKA2A, ICPP 2024",
           .options = {{"density", "0.02"}, {"selection", "search"}, {"fusion", "binary"}}},
          {.name = "gtopk-icdcs19",
           .schedule = "gtopk",
           .meaning = "exact selection, as its authors publish it",
           .source = "Shi et al., gTop-k S-SGD, ICDCS 2019",
           .options = {{"selection", "exact"}}},
          {.name = "topk-icdcs19",
           .schedule = "topk-allgather",
           .meaning = "gTop-k's baseline: exact selection of 0.1 %, all at once",
           .source = "Shi et al., gTop-k S-SGD, ICDCS 2019",
           .options = {{"density", "0.001"}, {"selection", "exact"}, {"fusion", "model"}}},
          {.name = "ok-topk-ppopp22",
           .schedule = "ok-topk",
           .meaning = "exact selection of 1 % for the thresholds",
           .source = "Li, Hoefler, Near-Optimal Sparse Allreduce, PPoPP 2022; Shigangli/Ok-Topk, "
                     "LSTM/compression.py: torch.topk; BERT/bert/bert_oktopk.sh: density 0.01",
           .options = {{"density", "0.01"}, {"selection", "exact"}}},
          {.name = "omgs-infocom20",
           .schedule = "omgs",
           .meaning = "exact selection",
           .source = "Shi et al., OMGS-SGD, INFOCOM 2020; HKBU-HPML/OMGS-SGD, compression.py: "
                     "torch.topk",
           .options = {{"selection", "exact"}}}};
}

std::vector<Preset> of_thresholds() {
  return {{.name = "dct-kdd21",
           .schedule = "dct",
           .meaning = "exact selection for the threshold",
           .source = "Gupta et al., Dynamic Communication Thresholding, KDD 2021",
           .options = {{"selection", "exact"}}},
          {.name = "dct-recommender-kdd21",
           .schedule = "dlrm",
           .meaning = "100 times fewer bytes of gradients, 20 of vectors",
           .source = "Gupta et al., Dynamic Communication Thresholding, KDD 2021: the reductions "
                     "of its abstract, indices counted",
           .options = {{"dp_density", "0.005"},
                       {"mp_density", "0.025"},
                       {"mp_backward", "own"},
                       {"index", "int32"}}},
          {.name = "dgc-iclr18",
           .schedule = "dgc",
           .meaning = "threshold from a sample; 0.1 % of each layer",
           .source = "Lin et al., Deep Gradient Compression, ICLR 2018",
           .options = {{"density", "0.001"}, {"selection", "sampled"}, {"fusion", "layer"}}},
          {.name = "sidco-mlsys21",
           .schedule = "sidco",
           .meaning = "threshold from a fitted distribution; 0.1 %",
           .source = "Abdelmoniem et al., SIDCo, MLSys 2021",
           .options = {{"density", "0.001"}, {"selection", "fitted"}}}};
}

ScheduleInfo schedule_with(const Preset& preset) {
  const std::vector<ScheduleInfo>& known = all_schedules();
  const auto original = std::ranges::find(known, preset.schedule, &ScheduleInfo::name);
  ScheduleInfo info = *original;
  info.name = preset.name;
  info.summary = fmt::format("{}: {}", preset.schedule, preset.meaning);
  info.source = preset.source;
  for (const auto& [name, value] : preset.options) {
    const auto option = std::ranges::find(info.options, name, &OptionInfo::name);
    if (option == info.options.end())
      throw std::logic_error(preset.name + ": " + preset.schedule + " has no option " + name);
    option->default_value = value;
  }
  return info;
}

}  // namespace

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = [] {
    std::vector<Preset> all = of_libraries();
    for (const auto& more : {of_systems(), of_curvature(), of_selections(), of_thresholds()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return presets;
}

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(all_presets(), name, &Preset::name);
  return found == all_presets().end() ? nullptr : &*found;
}

const std::vector<ScheduleInfo>& preset_schedules() {
  static const std::vector<ScheduleInfo> schedules = [] {
    std::vector<ScheduleInfo> made;
    for (const Preset& preset : all_presets())
      made.push_back(schedule_with(preset));
    return made;
  }();
  return schedules;
}

void require_preset(std::string_view name) {
  if (find_preset(name) != nullptr)
    return;
  std::vector<std::string> names;
  for (const Preset& preset : all_presets())
    names.push_back(preset.name);
  throw InputError(fmt::format("expected one of {}, found {}{}", fmt::join(names, ", "),
                               in_quotes(name), did_you_mean(name, names)));
}

}  // namespace stepcast
