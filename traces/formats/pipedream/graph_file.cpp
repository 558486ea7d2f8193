#include "traces/formats/pipedream/graph_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"

namespace stepcast {

namespace {

constexpr std::string_view kSeparator = " -- ";
constexpr std::string_view kNodePrefix = "node";
constexpr std::array<std::string_view, 4> kFields = {
    "forward_compute_time", "backward_compute_time", "activation_size", "parameter_size"};
constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

/// Takes the text up to `separator` off the front of `rest`; all of it if there is none.
std::string_view take_until(std::string_view& rest, std::string_view separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + separator.size());
  return taken;
}

class GraphFileParser {
 public:
  GraphFileParser(const std::string& origin, ImportReport& report)
      : origin_(origin), report_(report) {}

  GraphFile run(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      parse_line(take_until(text, "\n"));
    }
    check_whole();
    return std::move(file_);
  }

 private:
  void parse_line(std::string_view line) {
    const bool edge = line.starts_with('\t');
    std::string_view rest = trimmed(line);
    if (rest.empty())
      return;
    if (!rest.starts_with(kNodePrefix)) {
      report_.skip("line that is neither a node nor an edge", fmt::format("line {}", line_));
    } else if (edge) {
      parse_edge(rest);
    } else {
      parse_node(rest);
    }
  }

  void parse_node(std::string_view rest) {
    GraphNode node;
    node.line = line_;
    node.number = parse_number_of(take_until(rest, kSeparator));
    node.description = trimmed(take_until(rest, kSeparator));
    const std::array<double, 4> values = parse_fields(rest);
    node.forward = Seconds{values[0] / 1e3};
    node.backward = Seconds{values[1] / 1e3};
    node.activation = Bytes{values[2]};
    if (values[3] != std::floor(values[3]) || values[3] > kLargestExactInteger) {
      fail(fmt::format("expected parameter_size in whole bytes, found {}", values[3]));
    }
    node.parameter_bytes = static_cast<std::uint64_t>(values[3]);
    const auto index = static_cast<std::uint32_t>(file_.nodes.size());
    if (!index_of_.emplace(node.number, index).second) {
      fail(fmt::format("expected each node once, found node{} a second time", node.number));
    }
    file_.nodes.push_back(std::move(node));
  }

  std::array<double, 4> parse_fields(std::string_view rest) const {
    std::array<double, 4> values{};
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      std::string_view field = trimmed(take_until(rest, ","));
      const std::string_view name = take_until(field, "=");
      if (name != kFields[i]) {
        fail(fmt::format("expected {}=..., found \"{}\" (is the file truncated?)", kFields[i],
                         name.substr(0, 40)));
      }
      values[i] = parse_sum(kFields[i], field);
    }
    if (!trimmed(rest).empty())
      fail("expected the end of the line after parameter_size");
    return values;
  }

  /// A number, or the sum of a list "[1.0; 2.0]".
  double parse_sum(std::string_view name, std::string_view text) const {
    const bool list = text.starts_with('[') && text.ends_with(']');
    std::string_view rest = list ? text.substr(1, text.size() - 2) : text;
    double sum = parse_value(name, trimmed(take_until(rest, ";")));
    while (!rest.empty())
      sum += parse_value(name, trimmed(take_until(rest, ";")));
    return sum;
  }

  double parse_value(std::string_view name, std::string_view text) const {
    double value = 0;
    try {
      value = parse_number(text);
    } catch (const InputError& error) {
      fail(fmt::format("{}: {}", name, error.what()));
    }
    if (value < 0) {
      fail(fmt::format("{}: expected a number of at least 0, found {}", name, value));
    }
    return value;
  }

  void parse_edge(std::string_view rest) {
    const std::uint32_t from = index_of(take_until(rest, kSeparator));
    const std::uint32_t to = index_of(rest);
    if (!seen_.emplace(from, to).second) {
      report_.skip("edge that appears a second time", fmt::format("line {}", line_));
      return;
    }
    file_.edges.emplace_back(from, to);
  }

  std::uint32_t index_of(std::string_view node) const {
    const auto found = index_of_.find(parse_number_of(node));
    if (found == index_of_.end()) {
      fail(fmt::format("expected an edge between nodes of the file, found {}", node));
    }
    return found->second;
  }

  std::uint32_t parse_number_of(std::string_view text) const {
    const std::optional<std::uint32_t> number = node_number(text);
    if (!number) {
      fail(fmt::format("expected a node such as \"node12\", found \"{}\"", text.substr(0, 40)));
    }
    return *number;
  }

  /// In a whole file every node is connected: a node without an edge means that edges are missing.
  void check_whole() const {
    if (file_.nodes.empty())
      throw InputError(origin_ + ": expected at least one node, found none");
    std::vector<bool> connected(file_.nodes.size(), file_.nodes.size() == 1);
    for (const auto& [from, to] : file_.edges)
      connected[from] = connected[to] = true;
    const auto alone = std::ranges::find(connected, false);
    if (alone == connected.end())
      return;
    const GraphNode& node = file_.nodes[static_cast<std::size_t>(alone - connected.begin())];
    throw InputError(fmt::format("{}: line {}: node{} has no edge (is the file truncated?)",
                                 origin_, node.line, node.number));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: line {}: {}", origin_, line_, message));
  }

  const std::string& origin_;
  ImportReport& report_;
  std::uint32_t line_ = 0;
  GraphFile file_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;  ///< The edges so far.
  std::map<std::uint32_t, std::uint32_t> index_of_;         ///< By node number.
};

}  // namespace

GraphFile parse_graph_file(std::string_view text, const std::string& origin, ImportReport& report) {
  return GraphFileParser(origin, report).run(text);
}

std::optional<std::uint32_t> node_number(std::string_view text) {
  if (!text.starts_with(kNodePrefix))
    return std::nullopt;
  text.remove_prefix(kNodePrefix.size());
  const bool digits =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || text.size() > 9)
    return std::nullopt;
  return parse_count(text);
}

namespace {

using Adjacency = std::vector<std::vector<std::uint32_t>>;

/// Some node on a cycle. `waiting` counts the producers of a node that never went; each node with
/// any has a producer with any, so walking back from one ends up in a cycle.
const GraphNode& node_on_cycle(const GraphFile& file, const std::vector<std::size_t>& waiting) {
  std::vector<std::uint32_t> producer(file.nodes.size());
  std::uint32_t node = 0;
  for (const auto& [from, to] : file.edges) {
    if (waiting[from] == 0)
      continue;
    producer[to] = from;
    node = from;
  }
  for (std::size_t i = 0; i < file.nodes.size(); ++i)
    node = producer[node];
  return file.nodes[node];
}

}  // namespace

std::vector<std::uint32_t> forward_order(const GraphFile& file, const std::string& origin) {
  Adjacency consumers(file.nodes.size());
  std::vector<std::size_t> waiting(file.nodes.size(), 0);
  for (const auto& [from, to] : file.edges) {
    consumers[from].push_back(to);
    ++waiting[to];
  }
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // Number in the file, index.
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](std::uint32_t i) { ready.emplace(file.nodes[i].number, i); };
  for (std::uint32_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i] == 0)
      push(i);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top().second);
    ready.pop();
    for (const std::uint32_t consumer : consumers[order.back()]) {
      if (--waiting[consumer] == 0)
        push(consumer);
    }
  }
  if (order.size() < file.nodes.size()) {
    const GraphNode& node = node_on_cycle(file, waiting);
    throw InputError(fmt::format("{}: line {}: node{} depends on itself, the edges form a cycle",
                                 origin, node.line, node.number));
  }
  return order;
}

}  // namespace stepcast
