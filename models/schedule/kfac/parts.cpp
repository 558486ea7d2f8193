#include "models/schedule/kfac/parts.hpp"

#include <algorithm>

#include "models/schedule/data_parallel/horovod_thread.hpp"
#include "models/schedule/kfac/updates.hpp"
#include "models/schedule/options.hpp"

namespace stepcast::kfac {
namespace {

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const PartInfo& part : parts_info().parts)
    if (!part.setting.empty())
      names.push_back(part.setting);
  return names;
}

}  // namespace

PartsInfo parts_info() {
  return {.option = "parts",
          .parts = {{"ff-bp", {"forward", "backward"}, "ff-bp"},
                    {"gradient-communication",
                     {kGradientCommunication, kMetricCommunication},
                     "gradient-communication"},
                    {"preconditioning", {kPreconditioning}, "preconditioning"},
                    {"factor-computation", {kFactor}, "factor-computation"},
                    {"factor-communication", {kFactorCommunication}, "factor-communication"},
                    {"inverse-computation", {kInverse}, "inverse-computation"},
                    {"inverse-communication", {kInverseCommunication, kResultCommunication}, "all"},
                    {"packing", {kPacking, kUnpacking}, ""}},
          .note =
              "packing: of factors and inverses, and unpacking; other: negotiation, waiting, "
              "update."};
}

Parts parts_of(const OptionReader& read) {
  const std::vector<std::string> names = part_names();
  const std::string& update = read.text("update");
  const auto level = std::ranges::find(names, read.text("parts")) - names.begin();
  const bool factors = update != "none";
  const bool inverses = update == "inverses";
  return {.gradient_communication = level >= 1,
          .preconditioning = level >= 2,
          .factor_computation = level >= 3 && factors,
          .factor_communication = level >= 4 && factors,
          .inverse_computation = level >= 5 && inverses,
          .inverse_communication = level >= 6 && inverses,
          .result_communication = level >= 6};
}

std::vector<OptionInfo> with_common_options(std::vector<OptionInfo> own, Hooks hooks) {
  own.push_back(
      choice_option("parts", "all",
                    "leave out what comes after: ff-bp, gradient-communication, preconditioning, "
                    "factor-computation, factor-communication, inverse-computation or all",
                    part_names()));
  const std::vector<OptionInfo> horovod = horovod_options(hooks == Hooks::No ? "on" : "off");
  own.insert(own.end(), horovod.begin(), horovod.end());
  const std::vector<OptionInfo> common{
      count_option("metrics", "2",
                   "how many scalars (loss, accuracy) are averaged over all ranks between forward "
                   "and backward, each waited for, as the published training script does",
                   {.most = kRepeats.most}),
      algorithm_option(),
      choice_option("broadcast_algorithm", "chain",
                    "how a broadcast or reduce to one rank runs: chain, as in NCCL, or another",
                    algorithms_of(CollectiveKind::Broadcast))};
  own.insert(own.end(), common.begin(), common.end());
  const std::vector<OptionInfo> updates = update_options();
  own.insert(own.end(), updates.begin(), updates.end());
  return own;
}

}  // namespace stepcast::kfac
