#include "traces/job/streams/work_names.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "traces/readers/kineto/kineto_trace.hpp"

namespace stepcast {
namespace {

bool holds_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

std::string lower(std::string_view text) {
  std::string small;
  for (const char c : text)
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool is_transfer(const std::string& name) {
  return holds_any(name, {"nccl", "rccl", "byteps", "push_pull", "kvstorepush", "kvstorepull",
                          "collectivereduce", "collectivegather", "collectivebcast", "allreduce",
                          "all_reduce", "all-reduce"});
}

}  // namespace

std::optional<CollectiveKind> collective_by_name(std::string_view name) {
  const std::string small = lower(name);
  if (holds_any(small, {"collectivereduce", "push_pull", "pushpull", "kvstore"}))
    return CollectiveKind::AllReduce;
  if (small.find("collectivegather") != std::string::npos)
    return CollectiveKind::AllGather;
  return collective_kind_of(name);
}

StreamWork work_by_name(const std::string& name) {
  const std::string small = lower(name);
  StreamWork of;
  of.work.name = name;
  if (is_transfer(small)) {
    of.kind = collective_by_name(name);
    make_transfer(of.kind, of.work);
  } else if (holds_any(small, {"memcpy", "memset", "copy2d"})) {
    of.work.work = JobWork::Compute;
    of.work.copies = true;
    of.work.part = "copies";
  } else if (holds_any(small,
                       {"resourceapply", "applygradient", "applyadam", "applymomentum", "_update",
                        "optimizer", "fusedadam", "fused_adam", "fusedsgd", "fused_sgd",
                        "fusedlamb", "multi_tensor_apply", "multitensorapply"})) {
    of.work.work = JobWork::Compute;
    of.work.updates = true;
    of.work.part = "optimizer";
  } else if (holds_any(small,
                       {"gradient", "backprop", "backward", "grad/", "bwd", "dgrad", "wgrad"})) {
    of.work.work = JobWork::Backward;
    of.work.part = "backward";
  } else {
    of.work.work = JobWork::Forward;
    of.work.part = "forward";
  }
  if (of.work.work != JobWork::Transfer)
    of.work.name = fmt::format("{}: {}", of.work.part, name);
  return of;
}

}  // namespace stepcast
