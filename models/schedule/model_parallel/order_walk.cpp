#include "models/schedule/model_parallel/order_walk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr Seconds kNotYet{-1};

// Ranks take turns: each goes on as far as inputs are there, and a pass that ends wakes the rank of
// the next part. Every pass is looked at once more for each time that it had to wait.
class Walk {
 public:
  Walk(const PipelineOrder& order, const std::vector<PartTimes>& parts, Seconds message)
      : order_(order),
        parts_(parts),
        message_(message),
        forward_(std::size_t{order.parts()} * order.micro_batches, kNotYet),
        backward_(forward_),
        next_(order.stages, 0) {}

  WalkedOrder run() && {
    result_.ranks.resize(order_.stages);
    for (std::uint32_t stage = 0; stage < order_.stages; ++stage)
      awake_.push_back(stage);
    while (!awake_.empty()) {
      const std::uint32_t stage = awake_.back();
      awake_.pop_back();
      go_on(stage);
    }
    for (std::uint32_t stage = 0; stage < order_.stages; ++stage)
      if (next_[stage] < order_.ranks[stage].size())
        refuse(stage);
    return std::move(result_);
  }

 private:
  void go_on(std::uint32_t stage) {
    const auto& passes = order_.ranks[stage];
    auto& spans = result_.ranks[stage];
    while (next_[stage] < passes.size()) {
      const PipelinePass& pass = passes[next_[stage]];
      const std::size_t count = pass.paired ? 2 : 1;
      Seconds begin = spans.empty() ? Seconds{} : spans.back().end;
      Seconds length{};
      for (std::size_t i = 0; i < count; ++i) {
        const Seconds input = input_of(stage, (&pass)[i]);
        if (input < Seconds{})
          return;
        begin = std::max(begin, input);
        length += duration(stage, (&pass)[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        spans.push_back({begin, begin + length});
        finish(stage, (&pass)[i], spans.back().end);
      }
      next_[stage] += count;
    }
  }

  Seconds duration(std::uint32_t stage, const PipelinePass& pass) const {
    return time_of(pass.kind, parts_[part_of(order_, stage, pass.chunk)]);
  }

  std::size_t place(std::uint32_t part, std::uint32_t micro_batch) const {
    return std::size_t{part} * order_.micro_batches + micro_batch;
  }

  // When a pass's input is there; below 0: not yet known.
  Seconds input_of(std::uint32_t stage, const PipelinePass& pass) const {
    const std::uint32_t part = part_of(order_, stage, pass.chunk);
    const Seconds own = pass.kind == PassKind::WeightGradient
                            ? backward_[place(part, pass.micro_batch)]
                            : forward_[place(part, pass.micro_batch)];
    if (pass.kind == PassKind::Forward)
      return part == 0 ? Seconds{} : from(forward_, part - 1, part, pass);
    if (pass.kind == PassKind::WeightGradient || part + 1 == order_.parts() || own < Seconds{})
      return own;
    const Seconds gradient = from(backward_, part + 1, part, pass);
    return gradient < Seconds{} ? kNotYet : std::max(own, gradient);
  }

  Seconds from(const std::vector<Seconds>& ends, std::uint32_t other, std::uint32_t part,
               const PipelinePass& pass) const {
    const Seconds end = ends[place(other, pass.micro_batch)];
    const bool near = stage_of(order_, other, pass.chunk) == stage_of(order_, part, pass.chunk);
    return end < Seconds{} || near ? end : end + message_;
  }

  void finish(std::uint32_t stage, const PipelinePass& pass, Seconds end) {
    const std::uint32_t part = part_of(order_, stage, pass.chunk);
    result_.makespan = std::max(result_.makespan, end);
    if (pass.kind == PassKind::Forward) {
      forward_[place(part, pass.micro_batch)] = end;
      if (part + 1 < order_.parts())
        awake_.push_back(stage_of(order_, part + 1, pass.chunk));
    } else if (pass.kind != PassKind::WeightGradient) {
      backward_[place(part, pass.micro_batch)] = end;
      if (part > 0)
        awake_.push_back(stage_of(order_, part - 1, pass.chunk));
    }
  }

  // Who waits for whom leads round in a circle: from a pass to the first one of the rank that it
  // waits for that has not run.
  [[noreturn]] void refuse(std::uint32_t stage) const {
    std::vector<std::uint32_t> seen;
    while (std::ranges::find(seen, stage) == seen.end()) {
      seen.push_back(stage);
      stage = waits_for(stage);
    }
    if (waits_for(stage) == stage)
      refuse_alone(stage);
    std::string circle;
    for (auto at = std::ranges::find(seen, stage); at != seen.end(); ++at)
      circle += fmt::format("{} of stage {}, which waits for ", described(*at), *at);
    throw InputError(
        fmt::format("order: a cycle: {}{} of stage {}", circle, described(stage), stage));
  }

  // The pass that a stage waits for stands behind on that stage itself.
  [[noreturn]] void refuse_alone(std::uint32_t stage) const {
    const auto& passes = order_.ranks[stage];
    const PipelinePass& pass = passes[next_[stage]];
    const std::uint32_t part = part_of(order_, stage, pass.chunk);
    const bool forward = pass.kind == PassKind::Forward;
    const bool own = !forward && (pass.kind == PassKind::WeightGradient ||
                                  forward_[place(part, pass.micro_batch)] < Seconds{});
    const std::uint32_t needed = own ? part : forward ? part - 1 : part + 1;
    const bool needs_forward = forward || (own && pass.kind != PassKind::WeightGradient);
    const auto behind = std::ranges::find_if(passes, [&](const PipelinePass& other) {
      return other.micro_batch == pass.micro_batch && other.kind != PassKind::WeightGradient &&
             (other.kind == PassKind::Forward) == needs_forward &&
             part_of(order_, stage, other.chunk) == needed;
    });
    const std::string name =
        behind == passes.end() ? "a pass that is missing" : describe(*behind, order_.chunks > 1);
    throw InputError(
        fmt::format("order: a cycle: {} of stage {}, which waits for {} of stage {}, "
                    "which stands behind it",
                    described(stage), stage, name, stage));
  }

  std::string described(std::uint32_t stage) const {
    return describe(order_.ranks[stage][next_[stage]], order_.chunks > 1);
  }

  std::uint32_t waits_for(std::uint32_t stage) const {
    const PipelinePass& pass = order_.ranks[stage][next_[stage]];
    const std::uint32_t part = part_of(order_, stage, pass.chunk);
    if (pass.kind == PassKind::Forward)
      return stage_of(order_, part - 1, pass.chunk);
    const bool own = pass.kind == PassKind::WeightGradient ||
                     forward_[place(part, pass.micro_batch)] < Seconds{};
    return own ? stage : stage_of(order_, part + 1, pass.chunk);
  }

  const PipelineOrder& order_;
  const std::vector<PartTimes>& parts_;
  Seconds message_;
  std::vector<Seconds> forward_;  // ends, by part and micro-batch
  std::vector<Seconds> backward_;
  std::vector<std::size_t> next_;  // pass of each stage
  std::vector<std::uint32_t> awake_;
  WalkedOrder result_;
};

}  // namespace

Seconds time_of(PassKind kind, const PartTimes& times) {
  switch (kind) {
    case PassKind::Forward:
      return times.forward;
    case PassKind::Backward:
      return times.input_gradient + times.weight_gradient;
    case PassKind::InputGradient:
      return times.input_gradient;
    case PassKind::WeightGradient:
      return times.weight_gradient;
  }
  return {};
}

WalkedOrder walk(const PipelineOrder& order, const std::vector<PartTimes>& parts, Seconds message) {
  return Walk(order, parts, message).run();
}

}  // namespace stepcast
