#include <utility>

#include <fmt/format.h>

#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast {
namespace {

using sparse::Step;
using sparse::Tensor;

/// The teams of a round of the tree.
struct TreeRound {
  TeamId pairs = 0;  ///< First all who send, then their neighbours, who merge.
  TeamId left = 0;   ///< Those who hold a selection after it.
  bool even = true;  ///< Whether everybody before it has a neighbour.
};

/// All ranks, then every second, every fourth, ..., one.
std::vector<TreeRound> rounds_of(Builder& builder) {
  const std::uint32_t ranks = builder.cluster().ranks();
  std::vector<TreeRound> rounds;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    std::vector<Rank> pairs;
    std::vector<Rank> left;
    for (Rank rank = 0; rank < ranks; rank += 2 * distance) {
      left.push_back(rank);
      if (rank + distance < ranks)
        pairs.push_back(rank + distance);
    }
    const bool even = pairs.size() == left.size();
    for (std::size_t i = 0, senders = pairs.size(); i < senders; ++i)
      pairs.push_back(left[i]);
    rounds.push_back({.pairs = builder.group(std::move(pairs)),
                      .left = builder.group(std::move(left)),
                      .even = even});
  }
  return rounds;
}

// In each of ceil(log2 n) rounds the odd one of two neighbours sends its 2k numbers to the even
// one, which adds them to its own and selects k again; the last one left has the global top-k and
// broadcasts it. A rank without a neighbour (n no power of two) keeps its selection for the next
// round. Time: 2 log2(n) a + 4 k log2(n) b for n a power of two.
TaskId reduce_and_broadcast(Step& step, const std::vector<TreeRound>& rounds, const Tensor& tensor,
                            TaskId ready) {
  const double entries = step.selected(tensor);
  const auto& encoding = step.settings().encoding;
  const Bytes message =
      size_of_values(encoding, entries) + size_of_indices(encoding, entries, tensor.elements);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const TaskId sent =
        step.send(fmt::format("round {} of {}", i, tensor.label), message, rounds[i].pairs, ready);
    const TaskId merged =
        step.work("re-selection", tensor, merge_time(step.costs(), entries), sent, rounds[i].left);
    if (!rounds[i].even)
      step.builder().after(merged, {ready});
    ready = merged;
  }
  const TaskId received =
      step.broadcast(fmt::format("global top-k of {}", tensor.label), message, ready);
  return step.work("unpacking", tensor, scatter_add_time(step.costs(), entries, tensor.elements),
                   received);
}

Plan build_gtopk(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Step step(workload, cluster, read, sparse::settings_of(read));
  const std::vector<TreeRound> rounds = rounds_of(step.builder());
  step.pass(
      sparse::fused_tensors(workload, read),
      [&](const Tensor& tensor) { return step.compression_time(tensor); },
      [&](const Tensor& tensor, TaskId ready) {
        return reduce_and_broadcast(step, rounds, tensor, ready);
      });
  return std::move(step).finish();
}

}  // namespace

ScheduleInfo gtopk_schedule() {
  return sparse::system_of(
      "gtopk", "global top-k: a tree of neighbours that merge and re-select, then broadcast",
      "Shi et al., gTop-k S-SGD, ICDCS 2019",
      sparse::with_common_options({}, {.density = "0.001", .fusion = "model"}), build_gtopk);
}

}  // namespace stepcast
