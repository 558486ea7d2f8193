#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "models/device/compression.hpp"
#include "models/device/kfac_cost.hpp"
#include "models/workload/kronecker.hpp"
#include "models/workload/recorded_pipeline.hpp"

namespace stepcast {

struct TransformerModel;

using LayerId = std::uint32_t;  ///< Index of a layer in its workload, in forward order.

enum class DataType : std::uint8_t { Float64, Float32, Float16, BFloat16, Int8 };

/// One trainable tensor.
struct Parameter {
  std::string name;
  std::uint64_t elements = 0;
  DataType dtype = DataType::Float32;
  bool matrix = false;  ///< Of two dimensions or more: low-rank compression has something to do.
};

/// The kind of a layer that stands for the device waiting for the host, as profiled.
inline constexpr const char* kHostGap = "HostGap";

/// The kind of a layer that stands for messages among ranks that share the model (tensor, sequence
/// and expert parallelism), as they were recorded: nothing computes meanwhile.
inline constexpr const char* kModelMessages = "ModelMessages";

/// One layer as profiled: a module of the network with its own forward and backward pass.
struct Layer {
  std::string name;
  std::string kind;                   ///< "Conv2d", "BatchNorm2d", "Linear", ...
  Seconds forward{};                  ///< Time of the forward pass of one mini-batch.
  Seconds backward{};                 ///< Time of the backward pass of one mini-batch.
  std::vector<Parameter> parameters;  ///< May be empty (ReLU, pooling).
  Bytes activation{};                 ///< Output of the layer for one mini-batch; 0 if unknown.
  double macs = 0;                    ///< Forward multiply-accumulates per sample; 0 if unknown.
  std::optional<KroneckerFactors> kronecker;  ///< Conv2d and Linear; none: plain SGD in K-FAC.
  std::uint32_t forward_launches = 0;         ///< Kernels, copies and fills that the host launches
  std::uint32_t backward_launches = 0;        ///< for one mini-batch; 0 if unknown.
};

/// How per-layer times follow the batch size.
enum class BatchScaling : std::uint8_t {
  Unknown,       ///< The trace does not say: times stay, and a report notes it.
  Proportional,  ///< Times are proportional to the batch.
};

/// One training step of one model on one device, as measured or derived per layer.
struct Workload {
  std::string name;         ///< "<model>-<device>-bs<batch>".
  std::string model;        ///< "resnet50".
  std::string device;       ///< "rtx2080ti".
  std::uint32_t batch = 1;  ///< Samples per GPU and pass.
  /// Micro-batches of a step, as they were recorded: what `accumulation` is where nobody says.
  std::uint32_t passes = 1;
  /// Ranks that share the model and its samples, on neighbouring GPUs; 1: every rank has a replica.
  std::uint32_t model_group = 1;
  std::string precision = "fp32";
  BatchScaling batch_scaling = BatchScaling::Unknown;
  Provenance provenance;
  Seconds update{};  ///< The optimizer's update of all parameters, once a step; 0 if unknown.
  Seconds input{};   ///< To read and prepare one sample, beside the device; 0: never waited for.
  std::vector<Layer> layers;                       ///< In forward order; never empty.
  std::vector<std::pair<LayerId, LayerId>> edges;  ///< Branches: producer, consumer (producer <
                                                   ///< consumer). Empty: each feeds the next.
  std::optional<RecordedPipeline> pipeline;  ///< Of a recorded job whose stages the layers are.
  /// The model that the layers are derived from, if it is a transformer.
  std::shared_ptr<const TransformerModel> transformer;
  std::optional<KfacCosts> kfac;  ///< What K-FAC's kernels take on the device, if known.
  std::optional<CompressionCosts> compression;  ///< What compressing gradients takes, if known.
};

/// Whether PyTorch's names tell of a matrix: a "weight" of anything but a normalisation.
bool is_named_as_matrix(const Layer& layer, const Parameter& parameter);
/// Sets Parameter::matrix of all parameters by their names, for traces without shapes.
Workload with_matrices_by_name(Workload workload);

Bytes size_of(DataType dtype);
Bytes size_of(const Parameter& parameter);
Bytes parameter_size(const Layer& layer);
Bytes parameter_size(const Workload& workload);
std::uint64_t parameter_count(const Layer& layer);
std::uint64_t parameter_count(const Workload& workload);
std::size_t tensor_count(const Workload& workload);
Seconds forward_time(const Workload& workload);
Seconds backward_time(const Workload& workload);
/// What a step computes: forward, backward and update.
Seconds compute_time(const Workload& workload);
/// The update of the layers `first` to `last` over that of all, by their parameters; 0 where none
/// of all layers has any.
double share_of_update(const Workload& workload, LayerId first, LayerId last);
/// Of layers of kind kHostGap.
Seconds host_gap_time(const Workload& workload);
/// Returns the workload in which layers of a kind take no time: without kHostGap the host is always
/// ahead of its device.
Workload without_layers_of(std::string_view kind, Workload workload);

/// Throws InputError for a time that no training step takes: below 1 us or above a day.
void check_step_time(Seconds step_time);

/// The workload with every time multiplied so that forward, backward and update are `step_time`.
/// Throws InputError if the workload's times sum to zero or `step_time` is not above zero.
Workload with_step_time(Workload workload, Seconds step_time);

/// The workload whose step holds an update of `update`, at least zero: the step stays, forward and
/// backward take the rest of it. Throws InputError if nothing would be left for them.
Workload with_update_time(Workload workload, Seconds update);

/// How a workload was brought to another batch, in a sentence for its provenance.
struct BatchChange {
  Workload workload;
  std::string how;
};

/// At another batch: a share `fixed` (0 to 1) of each layer's time at the profiled batch stays, the
/// rest is proportional. Activations are proportional, the update stays. Throws InputError if
/// `batch` is 0.
BatchChange with_batch_in_part(Workload workload, std::uint32_t batch, double fixed);

/// The line through the times of each layer at the batches of two workloads, at a third batch;
/// never below 0. Outside the two batches it extrapolates and says so. Throws InputError if the
/// workloads differ in anything but batch, times and activations, or have the same batch.
BatchChange with_batch_between(Workload workload, const Workload& other, std::uint32_t batch);

/// Whether a pass of another batch would take the times of the profiled one, as nothing says how
/// they follow it.
bool has_times_of_one_batch(const Workload& workload);

/// The workload at another batch size. Times of layers follow `batch_scaling`; activations are
/// proportional; the update, which is of the parameters, stays.
Workload with_batch(Workload workload, std::uint32_t batch);

}  // namespace stepcast
