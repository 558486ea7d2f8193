#include "traces/readers/chakra/chakra_operators.hpp"

#include <charconv>
#include <optional>
#include <unordered_map>

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
    if (node.collective == CollectiveKind::AllReduce ||
        node.collective == CollectiveKind::ReduceScatter)
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

}  // namespace stepcast
