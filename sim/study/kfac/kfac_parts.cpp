#include "sim/study/kfac/kfac_parts.hpp"

#include <string_view>

namespace stepcast {
namespace {

KfacPart part_of_communication(std::string_view label) {
  if (label.starts_with("gradient of") || label.starts_with("metric of"))
    return KfacPart::GradientCommunication;
  if (label.starts_with("factor of"))
    return KfacPart::FactorCommunication;
  if (label.starts_with("inverse of") || label.starts_with("preconditioned gradient of"))
    return KfacPart::InverseCommunication;
  return KfacPart::Other;
}

KfacPart part_of_compute(std::string_view kind) {
  if (kind == "factor")
    return KfacPart::FactorComputation;
  if (kind == "inverse")
    return KfacPart::InverseComputation;
  if (kind == "packing" || kind == "unpacking")
    return KfacPart::Packing;
  if (kind == "preconditioning")
    return KfacPart::Preconditioning;
  return KfacPart::Other;
}

}  // namespace

const char* name_of(KfacPart part) {
  switch (part) {
    case KfacPart::ForwardBackward:
      return "ff-bp";
    case KfacPart::GradientCommunication:
      return "gradient-communication";
    case KfacPart::Preconditioning:
      return "preconditioning";
    case KfacPart::FactorComputation:
      return "factor-computation";
    case KfacPart::FactorCommunication:
      return "factor-communication";
    case KfacPart::InverseComputation:
      return "inverse-computation";
    case KfacPart::InverseCommunication:
      return "inverse-communication";
    case KfacPart::Packing:
      return "packing";
    case KfacPart::Other:
      return "other";
  }
  return "";
}

KfacPart part_of(const Plan& plan, const Task& task) {
  switch (task.kind) {
    case TaskKind::Forward:
    case TaskKind::Backward:
      return KfacPart::ForwardBackward;
    case TaskKind::Communication:
      return part_of_communication(plan.labels[task.label]);
    case TaskKind::Update:
    case TaskKind::OtherCompute:
      return part_of_compute(compute_kind_of(plan, task));
  }
  return KfacPart::Other;
}

std::vector<NamedTime> kfac_parts_of(const Plan& plan, const Window& window) {
  std::vector<NamedTime> parts;
  for (std::size_t part = 0; part < kKfacParts; ++part)
    parts.push_back({name_of(static_cast<KfacPart>(part)), {}});
  for (const Segment& segment : window.segments) {
    const bool busy =
        segment.activity == Activity::Compute || segment.activity == Activity::OtherStream;
    const KfacPart part = busy ? part_of(plan, plan.graph.task(segment.task)) : KfacPart::Other;
    parts[static_cast<std::size_t>(part)].time += segment.end - segment.begin;
  }
  return parts;
}

}  // namespace stepcast
