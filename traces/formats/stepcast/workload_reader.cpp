#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/ranges.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

using nlohmann::json;

namespace {

constexpr std::array<const char*, 6> kPrecisions = {"fp64", "fp32", "tf32", "fp16", "bf16", "amp"};

/// A name that reports print as it is, many times. Forecasts of others have the same limit, see
/// forecast_from_flat().
std::string name_of_workload(ObjectReader& reader) {
  constexpr std::size_t kLongestName = 1024;
  std::string name = reader.name("name");
  if (name.size() > kLongestName)
    reader.fail("name", fmt::format("expected a name of at most {} bytes, found {} bytes",
                                    kLongestName, name.size()));
  return name;
}

/// The enumerator that the text under `key` names.
template <class Names>
auto named(ObjectReader& reader, std::string_view key, const std::string& text,
           const Names& names) {
  for (const auto& [value, name] : names) {
    if (text == name)
      return value;
  }
  std::vector<std::string> known;
  for (const auto& [value, name] : names)
    known.emplace_back(fmt::format("\"{}\"", name));
  reader.fail(
      key, fmt::format("expected one of {}, found {}", fmt::join(known, ", "), shown(json(text))));
}

std::string read_precision(ObjectReader& reader) {
  std::string precision = reader.text_or("precision", "fp32");
  if (std::ranges::find(kPrecisions, precision) == kPrecisions.end()) {
    reader.fail("precision", fmt::format("expected one of {}, found {}",
                                         fmt::join(kPrecisions, ", "), json(precision).dump()));
  }
  return precision;
}

constexpr const char* kMatrix = "matrix";
constexpr const char* kVector = "vector";

bool read_is_matrix(ObjectReader& reader, bool by_name) {
  const std::string shape = reader.text_or("shape", by_name ? kMatrix : kVector);
  if (shape != kMatrix && shape != kVector)
    reader.fail("shape", fmt::format("expected \"{}\" or \"{}\", found {}", kMatrix, kVector,
                                     shown(json(shape))));
  return shape == kMatrix;
}

Parameter read_parameter(ObjectReader reader, const Layer& layer) {
  Parameter parameter;
  parameter.name = reader.name("name");
  parameter.elements = reader.count("elements", 1);
  parameter.dtype = named(reader, "dtype", reader.text_or("dtype", "fp32"), kDataTypeNames);
  parameter.matrix = read_is_matrix(reader, is_named_as_matrix(layer, parameter));
  reader.finish();
  return parameter;
}

std::optional<KroneckerFactors> read_kronecker(std::optional<ObjectReader> reader) {
  if (!reader)
    return std::nullopt;
  const KroneckerFactors factors{.a = reader->count_up_to("a", 1, 1U << 20U),
                                 .g = reader->count_up_to("g", 1, 1U << 20U),
                                 .rows = reader->count("rows", 1)};
  reader->finish();
  return factors;
}

Layer read_layer(ObjectReader& reader) {
  Layer layer;
  layer.name = reader.name("name");
  layer.kind = reader.name("kind");
  layer.forward = reader.seconds("forward_s");
  layer.backward = reader.seconds("backward_s");
  for (ObjectReader& parameter : reader.objects_or_none("parameters")) {
    layer.parameters.push_back(read_parameter(std::move(parameter), layer));
  }
  layer.activation = Bytes{reader.number_or("activation_bytes", 0, 0)};
  if (!kSizeRange.contains(layer.activation.value))
    reader.fail("activation_bytes",
                fmt::format("expected {}, found {}", kSizeRange.words, layer.activation.value));
  layer.macs = reader.number_or("macs", 0, 0);
  layer.kronecker = read_kronecker(reader.object_if("kronecker"));
  layer.forward_launches = reader.count_up_to_or("forward_launches", 0, 1U << 20U, 0);
  layer.backward_launches = reader.count_up_to_or("backward_launches", 0, 1U << 20U, 0);
  reader.finish();
  return layer;
}

void check_elements(const ObjectReader& reader, const std::vector<Layer>& layers) {
  double elements = 0;
  for (const Layer& layer : layers)
    for (const Parameter& parameter : layer.parameters)
      elements += static_cast<double>(parameter.elements);
  if (!kCountRange.contains(elements))
    reader.fail("layers", fmt::format("expected parameters of at most {:.0e} elements in all, "
                                      "found {:.3g}",
                                      kCountRange.most, elements));
}

void check_times(const ObjectReader& reader, const std::vector<Layer>& layers, Seconds update) {
  if (layers.empty())
    reader.fail("layers", "expected at least one layer, found none");
  Seconds step;
  for (const Layer& layer : layers)
    step += layer.forward + layer.backward;
  if (!kTimeRange.contains((step + update).value))
    reader.fail("layers", fmt::format("expected {} for all layers and the update, found {:.4g} s",
                                      kTimeRange.words, (step + update).value));
  if (step <= Seconds{0}) {
    reader.fail("layers", "expected times above zero, found zero for every layer");
  }
}

std::vector<Layer> read_layers(ObjectReader& reader, Seconds update) {
  std::vector<Layer> layers;
  std::set<std::string> names;
  for (ObjectReader& element : reader.objects("layers")) {
    layers.push_back(read_layer(element));
    if (!names.insert(layers.back().name).second) {
      element.fail("name", fmt::format("expected a name of its own, found {} a second time",
                                       json(layers.back().name).dump()));
    }
  }
  check_times(reader, layers, update);
  check_elements(reader, layers);
  return layers;
}

/// The layer that one end of an edge names, if it is one.
std::optional<LayerId> layer_id(const json& end, std::size_t layers) {
  if (!end.is_number_unsigned() || end.get<std::uint64_t>() >= layers)
    return std::nullopt;
  return end.get<LayerId>();
}

std::pair<LayerId, LayerId> read_edge(const ObjectReader& reader, const std::string& key,
                                      const json& edge, std::size_t layers) {
  if (!edge.is_array() || edge.size() != 2) {
    reader.fail(key, "expected two layer numbers such as [0, 1]");
  }
  const std::optional<LayerId> producer = layer_id(edge[0], layers);
  const std::optional<LayerId> consumer = layer_id(edge[1], layers);
  if (!producer || !consumer) {
    reader.fail(key, fmt::format("expected layer numbers from 0 to {}, found [{},{}]", layers - 1,
                                 shown(edge[0]), shown(edge[1])));
  }
  if (*producer >= *consumer) {
    reader.fail(key, fmt::format("expected the producer before the consumer, found [{}, {}]",
                                 *producer, *consumer));
  }
  return {*producer, *consumer};
}

std::vector<std::pair<LayerId, LayerId>> read_edges(ObjectReader& reader, std::size_t layers) {
  if (!reader.has("edges"))
    return {};
  const json& array = reader.raw("edges");
  if (!array.is_array())
    reader.fail("edges", "expected an array of pairs such as [[0, 1]]");
  std::vector<std::pair<LayerId, LayerId>> edges;
  std::set<std::pair<LayerId, LayerId>> seen;
  for (const json& element : array) {
    const std::string key = fmt::format("edges/{}", edges.size());
    edges.push_back(read_edge(reader, key, element, layers));
    if (!seen.insert(edges.back()).second) {
      reader.fail(key, fmt::format("expected each edge once, found [{}, {}] a second time",
                                   edges.back().first, edges.back().second));
    }
  }
  return edges;
}

}  // namespace

Workload parse_workload(std::string_view text, const std::string& origin) {
  const json document = parse_json(text, origin);
  ObjectReader reader(document, origin);
  read_format_header(reader, kWorkloadFormat);
  Workload workload;
  workload.name = name_of_workload(reader);
  workload.model = reader.name("model");
  workload.device = reader.name("device");
  workload.batch = reader.count_up_to("batch", 1, std::numeric_limits<std::uint32_t>::max());
  workload.passes = reader.count_up_to_or("passes", 1, 65536, workload.passes);
  workload.model_group = reader.count_up_to_or("model_group", 1, 65536, workload.model_group);
  workload.precision = read_precision(reader);
  workload.batch_scaling = named(reader, "batch_scaling",
                                 reader.text_or("batch_scaling", "unknown"), kBatchScalingNames);
  workload.provenance = read_provenance(reader.object("provenance"));
  if (reader.has("update_s"))
    workload.update = reader.seconds("update_s");
  if (reader.has("input_per_sample_s"))
    workload.input = reader.seconds("input_per_sample_s");
  workload.layers = read_layers(reader, workload.update);
  workload.edges = read_edges(reader, workload.layers.size());
  if (std::optional<ObjectReader> pipeline = reader.object_if(kRecordedPipeline))
    workload.pipeline = read_pipeline(*std::move(pipeline), workload.layers);
  reader.finish();
  return workload;
}

Workload read_workload(const std::filesystem::path& path) {
  return parse_workload(read_text_file(path), path.string());
}

}  // namespace stepcast
