#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr double kMostElements = 1e15;
constexpr std::string_view kAccumulate = "torch::autograd::AccumulateGrad";

/// What the nodes add up to.
struct Totals {
  std::map<std::string, std::uint64_t> operators;  ///< Count by name.
  std::map<std::tuple<std::string, Bytes>, CollectiveSummary> collectives;
  std::uint64_t gradients = 0;
  std::uint64_t gradient_elements = 0;
};

/// The value of a node's attribute of that name, or null.
json attribute(const json& node, std::string_view name) {
  const auto attributes = node.find("attrs");
  if (attributes == node.end() || !attributes->is_array())
    return {};
  for (const json& entry : *attributes)
    if (entry.is_object() && entry.value("name", json()) == name)
      return entry.value("value", json());
  return {};
}

double count_in(const json& value) {
  const bool sound = value.is_number() && value >= 0 && value <= kMostElements;
  return sound ? value.get<double>() : 0;
}

/// Elements of a tensor by its shape, or of a list of tensors by theirs.
double elements_of(const json& shape) {
  if (!shape.is_array())
    return 0;
  const bool lists = !shape.empty() && shape.front().is_array();
  double elements = lists ? 0 : 1;
  for (const json& entry : shape)
    elements = lists ? elements + elements_of(entry) : elements * count_in(entry);
  return std::min(elements, kMostElements);
}

/// Elements of the first tensor of a node's "inputs" or "outputs"; 0 if no shape is noted. Schemas
/// up to 1.0.3 note shapes beside the values, as "input_shapes", later ones within
/// {"values", "shapes", "types"}.
double first_elements(const json& node, const std::string& side) {
  const json values = node.value(side + "s", json());
  const json shapes =
      values.is_object() ? values.value("shapes", json()) : node.value(side + "_shapes", json());
  return shapes.is_array() && !shapes.empty() ? elements_of(shapes.front()) : 0;
}

double input_elements(const json& node) {
  return first_elements(node, "input");
}

/// The text among the values of a collective that schemas up to 1.0.3 note without attributes.
json name_of_collective(const json& node) {
  json name = attribute(node, "collective_name");
  const json values = node.value("inputs", json());
  for (const json& value : values.is_array() ? values : json::array())
    if (!name.is_string() && value.is_string() && collective_kind_of(value.get<std::string>()))
      name = value;
  return name;
}

double elements_of_collective(const json& node) {
  const double noted = std::max(count_in(attribute(node, "in_msg_nelems")),
                                count_in(attribute(node, "out_msg_nelems")));
  return noted > 0 ? noted
                   : std::max(first_elements(node, "input"), first_elements(node, "output"));
}

/// "Float" by its attribute, or of "GenericList[Tensor(float)]" by its first input; empty: not
/// noted.
std::string type_of_collective(const json& node) {
  const json noted = attribute(node, "dtype");
  if (noted.is_string())
    return noted;
  const json types = node.value("input_types", json());
  if (!types.is_array() || types.empty() || !types.front().is_string())
    return {};
  const std::string type = types.front();
  const std::size_t open = type.rfind('(');
  return open == std::string::npos ? type : type.substr(open + 1, type.find(')', open) - open - 1);
}

void add_collective(const json& node, const std::string& place, Totals& totals,
                    ImportReport& report) {
  const json name = name_of_collective(node);
  if (!name.is_string()) {
    report.doubt("collective without attributes", place);
    return;
  }
  if (name == "wait" || name == "init")
    return;
  const double elements = elements_of_collective(node);
  const Bytes size{elements * element_size(type_of_collective(node))};
  const auto kind = collective_kind_of(name.get<std::string>());
  const std::string shown = kind ? name_of(*kind) : name.get<std::string>();
  CollectiveSummary& entry = totals.collectives[{shown, size}];
  entry.kind = shown;
  entry.size = size;
  ++entry.count;
}

void add_node(const json& node, const std::string& place, Totals& totals, ImportReport& report) {
  if (!node.is_object() || !node.value("name", json()).is_string()) {
    report.skip("node without a name", place);
    return;
  }
  const std::string name = node["name"];
  ++totals.operators[name];
  if (name == "record_param_comms")
    add_collective(node, place, totals, report);
  if (name == kAccumulate) {
    ++totals.gradients;
    totals.gradient_elements += static_cast<std::uint64_t>(input_elements(node));
  }
}

json nodes_of(const TraceStream& file) {
  json document = parse_json(text_of(file), file.origin);
  const auto nodes = document.find("nodes");
  if (nodes == document.end() || !nodes->is_array())
    throw InputError(file.origin + ": /nodes: expected a list of nodes");
  return std::move(*nodes);
}

class ExecutionTraceReader final : public TraceReader {
 public:
  std::string name() const override { return "execution-trace"; }

  bool sniff(std::string_view head) const override {
    return json_start(head) == '{' && head.find("\"schema\"") != std::string_view::npos &&
           head.find("\"nodes\"") != std::string_view::npos;
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions&,
                ImportReport&) const override {
    throw InputError(only_file(files, name()).origin +
                     ": an execution trace holds no times: import it together with the profiler's "
                     "trace of the run (stepcast inspect shows what this one holds)");
  }

  std::optional<TraceSupplement> supplement(const TraceStream& file,
                                            ImportReport& report) const override {
    TraceSupplement supplement{.origin = file.origin, .gradients = {}, .buckets = {}};
    for (const json& node : nodes_of(file)) {
      if (!node.is_object() || node.value("name", json()) != kAccumulate)
        continue;
      const auto elements = static_cast<std::uint64_t>(input_elements(node));
      if (elements == 0)
        report.doubt("gradient without a shape in an execution trace", file.origin);
      const json noted = attribute(node, "rf_id");  // Beside the attributes up to schema 1.0.3.
      const auto id = static_cast<std::uint64_t>(
          count_in(noted.is_null() ? node.value("rf_id", json()) : noted));
      supplement.gradients.push_back({.record_id = id, .elements = elements});
    }
    if (supplement.gradients.empty())
      report.doubt("execution trace without gradients", file.origin);
    return supplement;
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                       ImportReport& report) const override {
    const TraceStream& file = only_file(files, name());
    const json nodes = nodes_of(file);
    Totals totals;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      add_node(nodes[i], fmt::format("node {}", i), totals, report);
    TraceSummary summary{.format = name()};
    summary.facts = {{"nodes", fmt::format("{}", nodes.size())},
                     {"operators", fmt::format("{} different", totals.operators.size())},
                     {"gradients", fmt::format("{} of {} elements", totals.gradients,
                                               totals.gradient_elements)}};
    for (const auto& [key, entry] : totals.collectives)
      summary.collectives.push_back(entry);
    return summary;
  }
};

}  // namespace

const TraceReader& execution_trace_reader() {
  static const ExecutionTraceReader reader;
  return reader;
}

}  // namespace stepcast
