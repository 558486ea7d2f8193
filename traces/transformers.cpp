#include "traces/transformers.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"

namespace stepcast {
namespace {

MeasuredParts measured_parts_of(const TransformerRequest& request) {
  if (request.blocks.empty())
    return {};
  MeasuredParts measured = read_measured_parts(request.blocks);
  if (measured.device != request.device)
    throw InputError(fmt::format("{}: /device: expected {}, the transformer's, found {}",
                                 request.blocks, in_quotes(request.device),
                                 in_quotes(measured.device)));
  if (const auto difference = difference_of_shape(measured, request.shape))
    throw InputError(fmt::format("{}: /shape/{}", request.blocks, *difference));
  return measured;
}

// What another device takes, but for their data sheets.
TrainingLaw law_like(const WrittenLaw& written, const std::filesystem::path& path) {
  const auto fail = [&] {
    throw InputError(fmt::format("{}: /law/like: expected a device with a law of its own, found {}",
                                 path.string(), in_quotes(written.like)));
  };
  const std::vector<std::string> names = list_names(CatalogKind::Device);
  if (std::ranges::find(names, written.like) == names.end())
    fail();
  const std::filesystem::path other = find_file(CatalogKind::Device, written.like);
  const auto theirs = find_written_law(other);
  if (!theirs || !theirs->like.empty())
    fail();
  const DeviceSpec here = read_device(path);
  TrainingLaw law = by_data_sheet(theirs->law, written.law.peak,
                                  here.memory_bandwidth / read_device(other).memory_bandwidth);
  if (law.products.empty())
    throw InputError(
        fmt::format("{}: /law/peak_tflops: expected a precision of which {} has products",
                    path.string(), written.like));
  law.provenance = written.law.provenance;
  law.provenance.caveats.push_back(
      fmt::format("Times of {} are those of {} scaled by their data sheets: none was measured.",
                  here.name, written.like));
  return law;
}

}  // namespace

std::optional<TrainingLaw> find_training_law(const std::string& device) {
  const std::filesystem::path path = find_file(CatalogKind::Device, device);
  const auto written = find_written_law(path);
  if (!written)
    return std::nullopt;
  return written->like.empty() ? written->law : law_like(*written, path);
}

TrainingLaw load_training_law(const std::string& device) {
  std::vector<std::string> known;
  for (const std::string& each : list_names(CatalogKind::Device))
    if (find_written_law(find_file(CatalogKind::Device, each)))
      known.push_back(each);
  const bool is_file = device.ends_with(".json");
  if (is_file || std::ranges::find(known, device) != known.end())
    if (auto law = find_training_law(device))
      return *std::move(law);
  throw InputError(fmt::format("device: expected one with a law ({}), found {}{}",
                               fmt::join(known, ", "), in_quotes(device),
                               did_you_mean(device, known)));
}

Workload load_transformer(const TransformerRequest& request) {
  return load_transformer(request, measured_parts_of(request));
}

Workload load_transformer(const TransformerRequest& request, MeasuredParts measured) try {
  TransformerModel model{request.shape, load_training_law(request.device), std::move(measured)};
  products_of(model.law, request.shape.precision);
  return transformer_workload(model, request.device, request.batch);
} catch (const InputError& error) {
  throw InputError(fmt::format("transformer: {}", error.what()));
}

std::optional<Workload> find_transformer_model(const std::string& name) {
  if (name.starts_with(kTransformerPrefix))
    return load_transformer(parse_transformer(name));
  if (!name.ends_with(".json"))
    return std::nullopt;
  const auto request = find_transformer_file(name);
  return request ? std::optional(load_transformer(*request)) : std::nullopt;
}

}  // namespace stepcast
