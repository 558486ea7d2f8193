// A transformer in line ("transformer:layers=..") or as a file.
#include <fstream>

#include "models/workload/transformer/transformer_text.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/input_files.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"
#include "traces/transformers.hpp"

namespace stepcast::fuzz {
namespace {

constexpr std::uint32_t kMostLayers = 1000;

std::optional<TransformerRequest> requested(std::string_view text) {
  if (text.starts_with(kTransformerPrefix))
    return parse_transformer(text);
  return find_transformer_file(written_inputs(text, 1).front());
}

}  // namespace

bool accepts_transformer(std::string_view text) {
  return accepts([&] {
    small_cluster();  // says where the data are
    const auto request = requested(text);
    if (!request || request->shape.layers > kMostLayers)
      throw InputError("no transformer, or too large to be tried often");
    const Workload model = load_transformer(*request);
    require(!model.layers.empty(), "a transformer has layers");
    for (const Layer& layer : model.layers)
      require(finite_and_not_negative(layer.forward.value) &&
                  finite_and_not_negative(layer.backward.value) &&
                  finite_and_not_negative(layer.activation.value),
              "a layer takes times and memory");
    require(finite_and_not_negative(parameter_size(model).value), "parameters have a size");
  });
}

}  // namespace stepcast::fuzz
