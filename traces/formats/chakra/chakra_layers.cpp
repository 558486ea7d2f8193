#include "traces/formats/chakra/chakra_layers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

namespace {

/// "convolution_backward" of "aten::convolution_backward(0)".
std::string bare_name(const std::string& name) {
  const std::string bare = name.substr(0, name.find('('));
  const std::size_t colon = bare.rfind("::");
  return colon == std::string::npos ? bare : bare.substr(colon + 2);
}

/// 1 of "aten::mm(1)".
std::optional<std::uint32_t> piece_of(const std::string& name) {
  const std::size_t open = name.rfind('(');
  if (open == std::string::npos || !name.ends_with(')'))
    return std::nullopt;
  std::uint32_t piece = 0;
  const char* const end = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, piece);
  return error == std::errc() && stop == end ? std::optional(piece) : std::nullopt;
}

/// Joins nodes to operators: first the host's, then the work, as a launch may come behind its work.
class Operators {
 public:
  explicit Operators(const std::vector<ChakraNode>& nodes);
  std::vector<ChakraOperator> take() { return std::move(operators_); }

 private:
  void add_piece(const ChakraNode& node);
  void add_work(const ChakraNode& node, ChakraOperator& launcher);
  const std::size_t* launcher_of(const ChakraNode& node) const;

  std::vector<ChakraOperator> operators_;
  std::unordered_map<std::uint64_t, std::size_t> by_piece_;
  std::uint32_t next_piece_ = 0;
};

Operators::Operators(const std::vector<ChakraNode>& nodes) {
  for (const ChakraNode& node : nodes)
    if (node.on_host)
      by_piece_[node.id] = 0;
  for (const ChakraNode& node : nodes) {
    if (node.on_host) {
      add_piece(node);
    } else if (launcher_of(node) == nullptr) {
      next_piece_ = 0;
      operators_.push_back({.name = bare_name(node.name)});
      add_work(node, operators_.back());
    }
  }
  for (const ChakraNode& node : nodes)
    if (const std::size_t* launcher = launcher_of(node); launcher != nullptr && !node.on_host)
      add_work(node, operators_[*launcher]);
}

void Operators::add_piece(const ChakraNode& node) {
  const auto piece = piece_of(node.name);
  const bool goes_on = piece && *piece > 0 && *piece == next_piece_ &&
                       operators_.back().name == bare_name(node.name);
  if (!goes_on)
    operators_.push_back({.name = bare_name(node.name)});
  next_piece_ = piece ? *piece + 1 : 0;
  by_piece_[node.id] = operators_.size() - 1;
  operators_.back().communicates = operators_.back().communicates || node.communicates;
}

/// The operator of the first host node that it depends on, or null.
const std::size_t* Operators::launcher_of(const ChakraNode& node) const {
  for (const std::uint64_t before : node.data_dependencies)
    if (const auto found = by_piece_.find(before); found != by_piece_.end())
      return &found->second;
  return nullptr;
}

void Operators::add_work(const ChakraNode& node, ChakraOperator& launcher) {
  if (node.communicates) {
    launcher.communicates = true;
    if (reduces(node.collective))
      launcher.reduced += node.size;
    return;
  }
  launcher.device += node.duration;
  ++launcher.work;
}

}  // namespace

std::vector<ChakraOperator> operators_of(const std::vector<ChakraNode>& nodes) {
  return Operators(nodes).take();
}

namespace {

using Places = std::vector<std::size_t>;

bool names_backward(const ChakraOperator& op) {
  return op.name.find("backward") != std::string::npos ||
         op.name.find("Backward") != std::string::npos;
}

/// The kind of layer that an operator computes in the direction, by PyTorch's names; empty: none.
std::string_view kind_of(const std::string& name, bool backward) {
  using Name = std::pair<std::string_view, std::string_view>;  // operator, kind
  static const std::array<Name, 16> forward_kinds = {{{"conv1d", "convolution"},
                                                      {"conv2d", "convolution"},
                                                      {"conv3d", "convolution"},
                                                      {"batch_norm", "batch_norm"},
                                                      {"layer_norm", "layer_norm"},
                                                      {"group_norm", "group_norm"},
                                                      {"relu", "threshold"},
                                                      {"relu_", "threshold"},
                                                      {"gelu", "gelu"},
                                                      {"silu", "silu"},
                                                      {"softmax", "softmax"},
                                                      {"dropout", "dropout"},
                                                      {"embedding", "embedding"},
                                                      {"max_pool2d", "max_pool2d"},
                                                      {"linear", "linear"},
                                                      {"cross_entropy_loss", "nll_loss"}}};
  static const std::array<Name, 16> backward_kinds = {
      {{"convolution_backward", "convolution"},
       {"cudnn_batch_norm_backward", "batch_norm"},
       {"miopen_batch_norm_backward", "batch_norm"},
       {"native_batch_norm_backward", "batch_norm"},
       {"native_layer_norm_backward", "layer_norm"},
       {"native_group_norm_backward", "group_norm"},
       {"threshold_backward", "threshold"},
       {"gelu_backward", "gelu"},
       {"silu_backward", "silu"},
       {"_softmax_backward_data", "softmax"},
       {"native_dropout_backward", "dropout"},
       {"embedding_dense_backward", "embedding"},
       {"max_pool2d_with_indices_backward", "max_pool2d"},
       {"mm", "linear"},
       {"nll_loss_backward", "nll_loss"},
       {"nll_loss2d_backward", "nll_loss"}}};
  const auto& kinds = backward ? backward_kinds : forward_kinds;
  const auto* const found = std::ranges::find(kinds, name, &Name::first);
  return found == kinds.end() ? std::string_view() : found->second;
}

/// Where the passes of the step lie in the list of operators.
struct Passes {
  std::size_t backward = 0;   ///< Its first operator; the forward pass ends here.
  std::size_t optimizer = 0;  ///< The first behind the backward pass.
};

Passes passes_of(const std::vector<ChakraOperator>& operators) {
  const auto first = std::ranges::find_if(operators, names_backward);
  if (first == operators.end())
    return {operators.size(), operators.size()};
  const auto last = std::find_if(operators.rbegin(), operators.rend(), names_backward).base();
  const auto collective =
      std::find_if(last, operators.end(), [](const ChakraOperator& op) { return op.communicates; });
  const auto end = collective == operators.end() ? last : collective;
  return {static_cast<std::size_t>(first - operators.begin()),
          static_cast<std::size_t>(end - operators.begin())};
}

/// Operators with device work by kind. The two products of a linear layer's backward pass follow
/// each other: the first one stands for both.
std::map<std::string_view, Places> places_by_kind(const std::vector<ChakraOperator>& operators,
                                                  std::size_t begin, std::size_t end,
                                                  bool backward) {
  std::map<std::string_view, Places> places;
  std::string_view before;
  for (std::size_t i = begin; i < end; ++i) {
    if (operators[i].work == 0)
      continue;
    const std::string_view kind = kind_of(operators[i].name, backward);
    const bool second_product = backward && kind == "linear" && before == kind;
    if (!kind.empty() && !second_product)
      places[kind].push_back(i);
    before = kind;
  }
  return places;
}

/// Forward operators by their backward one, of the kinds that occur as often in either direction.
std::unordered_map<std::size_t, std::size_t> join(const std::vector<ChakraOperator>& operators,
                                                  const Passes& passes, ChakraLayers& result) {
  std::unordered_map<std::size_t, std::size_t> forward_of;
  const auto forward = places_by_kind(operators, 0, passes.backward, false);
  const auto backward = places_by_kind(operators, passes.backward, passes.optimizer, true);
  for (const auto& [kind, places] : backward) {
    const auto found = forward.find(kind);
    if (found == forward.end() || found->second.size() != places.size()) {
      result.odd.emplace_back(kind);
      continue;
    }
    for (std::size_t i = 0; i < places.size(); ++i)
      forward_of[places[i]] = found->second[places.size() - 1 - i];
  }
  result.joined = forward_of.size();
  return forward_of;
}

/// Makes the layers, forward first.
class LayerMaker {
 public:
  explicit LayerMaker(ChakraLayers& result) : result_(result) {}

  void add_forward(const ChakraOperator& op, std::size_t place, bool joined) {
    if (joined || last_joined_ || result_.layers.back().kind != op.name)
      result_.layers.push_back({.name = fmt::format("{}-{}", op.name, uses_[op.name]++),
                                .kind = op.name,
                                .parameters = {}});
    last_joined_ = joined;
    layer_of_[place] = result_.layers.size() - 1;
    result_.layers.back().forward += op.device;
  }

  /// `forward`: the place of the forward operator, if it is known.
  void add_backward(const ChakraOperator& op, const std::size_t* forward) {
    need_a_layer();
    if (result_.backward++ == 0)
      current_ = result_.layers.size() - 1;
    if (forward != nullptr)
      current_ = layer_of_.at(*forward);
    result_.layers[current_].backward += op.device;
  }

  /// A bucket of gradients, of an assumed type, as one of the layer before it.
  void add_bucket(Bytes size) {
    constexpr double kElement = 4;
    need_a_layer();
    std::vector<Parameter>& parameters = result_.layers[current_].parameters;
    parameters.push_back(
        {.name = fmt::format("{}.gradient-{}", result_.layers[current_].name, parameters.size()),
         .elements = static_cast<std::uint64_t>(size.value / kElement)});
  }

  void add_update(const ChakraOperator& op) { result_.update += op.device; }

 private:
  /// For work of the backward pass without a forward one.
  void need_a_layer() {
    if (result_.layers.empty())
      result_.layers.push_back({.name = "backward", .kind = "backward", .parameters = {}});
  }

  ChakraLayers& result_;
  std::unordered_map<std::size_t, std::size_t> layer_of_;  // by place of the forward operator
  std::map<std::string, std::size_t> uses_;
  std::size_t current_ = 0;
  bool last_joined_ = true;
};

}  // namespace

ChakraLayers layers_of(const std::vector<ChakraOperator>& operators) {
  ChakraLayers result;
  const Passes passes = passes_of(operators);
  const auto forward_of = join(operators, passes, result);
  std::vector<bool> joined(operators.size(), false);
  for (const auto& [backward, forward] : forward_of)
    joined[forward] = true;
  LayerMaker maker(result);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const ChakraOperator& op = operators[i];
    if (op.reduced > Bytes{} && i >= passes.backward)
      maker.add_bucket(op.reduced);
    if (op.work == 0)
      continue;
    const auto pair = forward_of.find(i);
    if (i < passes.backward)
      maker.add_forward(op, i, joined[i]);
    else if (i < passes.optimizer)
      maker.add_backward(op, pair == forward_of.end() ? nullptr : &pair->second);
    else
      maker.add_update(op);
  }
  return result;
}

}  // namespace stepcast
