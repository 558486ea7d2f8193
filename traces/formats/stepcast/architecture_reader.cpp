#include "traces/formats/stepcast/architecture_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

LayerKind read_kind(ObjectReader& reader) {
  const std::string name = reader.text("kind");
  if (const auto kind = find_layer_kind(name))
    return *kind;
  const std::vector<std::string> known = layer_kind_names();
  reader.fail("kind", fmt::format("expected one of {}, found {}{}", fmt::join(known, ", "),
                                  in_quotes(name), did_you_mean(name, known)));
}

std::vector<Parameter> read_parameters(ObjectReader& reader) {
  std::vector<Parameter> parameters;
  for (ObjectReader& item : reader.objects_or_none("parameters")) {
    parameters.push_back({.name = item.name("name"), .elements = item.count("elements", 1)});
    item.finish();
  }
  return parameters;
}

MemoryPasses read_passes(std::optional<ObjectReader> reader) {
  if (!reader)
    return {};
  const MemoryPasses passes{.forward = reader->number("forward", 0),
                            .backward = reader->number("backward", 0)};
  reader->finish();
  return passes;
}

ArchitectureLayer read_layer(ObjectReader& reader) {
  ArchitectureLayer layer{
      .name = reader.name("name"),
      .kind = read_kind(reader),
      .parameters = read_parameters(reader),
      .macs = reader.number_or("macs", 0, 0),
      .extra_macs = reader.number_or("extra_macs", 0, 0),
      .input_elements = reader.number("input_elements", 0),
      .output_elements = reader.number("output_elements", 0),
      .elementwise_passes = read_passes(reader.object_if("elementwise_passes"))};
  reader.finish();
  return layer;
}

}  // namespace

Architecture parse_architecture(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-architecture");
  Architecture architecture{.name = root.name("name"),
                            .provenance = read_provenance(root.object("provenance"))};
  for (ObjectReader& layer : root.objects("layers"))
    architecture.layers.push_back(read_layer(layer));
  root.finish();
  try {
    check_architecture(architecture);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", origin, error.what()));
  }
  return architecture;
}

Architecture read_architecture(const std::filesystem::path& path) {
  return parse_architecture(read_text_file(path), path.string());
}

}  // namespace stepcast
