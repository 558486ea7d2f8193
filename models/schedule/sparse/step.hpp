#pragma once

#include <functional>
#include <string>

#include "models/schedule/builder.hpp"
#include "models/schedule/schedule_info.hpp"
#include "models/schedule/sparse/settings.hpp"
#include "models/schedule/sparse/tensors.hpp"

namespace stepcast::sparse {

/// A system of compressed gradients as the registry knows it.
inline ScheduleInfo system_of(const char* name, const char* summary, const char* source,
                              std::vector<OptionInfo> options,
                              Plan (*build)(const Workload&, const Cluster&, const OptionReader&)) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .options = std::move(options),
          .build = build,
          .compressed = true};
}

/// Communicates a selected tensor. `ready` is the task after which the selection can be sent; the
/// result is the task after which the weights can be updated.
using Exchange = std::function<TaskId(const Tensor& tensor, TaskId ready)>;

/// A training step with compressed gradients, written with the verbs that its systems share.
///
/// Compression of a tensor (error feedback, selection) comes right after the backward pass of its
/// last layer, on the compute stream or on one of its own. Collectives are first in, first out on
/// one stream. What received entries are unpacked with runs on a stream beside the compute stream.
class Step {
 public:
  /// Throws InputError if the device's compression costs are unknown.
  Step(const Workload& workload, const Cluster& cluster, const OptionReader& read,
       const Settings& settings);

  const Settings& settings() const { return settings_; }
  const CompressionCosts& costs() const { return costs_; }
  std::uint32_t ranks() const { return builder_.cluster().ranks(); }
  Builder& builder() { return builder_; }

  /// Entries that one rank selects of a tensor.
  double selected(const Tensor& tensor) const;
  /// Distinct entries that `selections` ranks select of `elements` together.
  double united(double elements, std::uint32_t selections) const;
  /// How a tensor is compressed, and what with; by default as the options say.
  Seconds compression_time(const Tensor& tensor, Selection selection) const;
  Seconds compression_time(const Tensor& tensor) const {
    return compression_time(tensor, settings_.selection);
  }

  /// Forward and backward; then the update, which waits for every exchange.
  void pass(const std::vector<Tensor>& tensors, const std::function<Seconds(const Tensor&)>& time,
            const Exchange& exchange);

  /// Two collectives one after the other: of the values, and of what says where they belong.
  TaskId all_gather_entries(const Tensor& tensor, double entries_each, TaskId ready);
  TaskId all_to_all_entries(const Tensor& tensor, double entries_each_pair, TaskId ready);
  TaskId all_to_all(const std::string& label, Bytes size, TaskId ready,
                    std::vector<double> shares = {});
  TaskId all_gather(const std::string& label, Bytes size, TaskId ready,
                    std::vector<double> shares = {});
  TaskId all_reduce(const std::string& label, Bytes size, TaskId ready);
  TaskId send(const std::string& label, Bytes size, TeamId team, TaskId ready);
  TaskId broadcast(const std::string& label, Bytes size, TaskId ready);
  /// Work with received entries, beside the compute stream: "unpacking", ...
  TaskId work(const char* phase, const Tensor& tensor, Seconds time, TaskId ready, TeamId team = 0);

  Plan finish() &&;

 private:
  TaskId compress(const Tensor& tensor, Seconds time, TaskId ready);
  CommunicationOptions behind(TaskId ready) const {
    return {.stream = communication_, .after = {ready}};
  }

  Builder builder_;
  Settings settings_;
  CompressionCosts costs_;
  StreamId communication_ = 0;
  StreamId unpacking_ = 0;
  StreamId selection_ = 0;
};

/// Gradients travel as fp32 where they are dense.
inline Bytes dense_size(double elements) {
  return Bytes{4} * elements;
}

}  // namespace stepcast::sparse
