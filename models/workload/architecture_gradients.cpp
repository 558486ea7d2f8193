#include "models/workload/architecture_gradients.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace stepcast {
namespace {

using Places = std::vector<std::size_t>;

/// What a trace may call the kind; empty: none of those with tensors.
std::string_view family_of(std::string_view kind) {
  static const std::array<std::pair<std::string_view, std::string_view>, 9> words = {{
      {"conv", "convolution"},
      {"linear", "linear"},
      {"addmm", "linear"},
      {"batchnorm", "batch norm"},
      {"layernorm", "layer norm"},
      {"groupnorm", "group norm"},
      {"rmsnorm", "rms norm"},
      {"embedding", "embedding"},
      {"dense", "linear"},
  }};
  const std::string letters = letters_and_digits(kind);
  for (const auto& [word, family] : words)
    if (letters.find(word) != std::string::npos)
      return family;
  return {};
}

std::map<std::string_view, Places> modules_by_family(const Architecture& architecture) {
  std::map<std::string_view, Places> families;
  for (std::size_t i = 0; i < architecture.layers.size(); ++i)
    if (!architecture.layers[i].parameters.empty())
      families[family_of(name_of(architecture.layers[i].kind))].push_back(i);
  return families;
}

std::map<std::string_view, Places> layers_by_family(const Workload& workload) {
  std::map<std::string_view, Places> families;
  for (std::size_t i = 0; i < workload.layers.size(); ++i)
    if (const auto family = family_of(workload.layers[i].kind); !family.empty())
      families[family].push_back(i);
  return families;
}

/// Layers by module, of the families of which both have as many.
std::map<std::size_t, std::size_t> join(const Architecture& architecture,
                                        const Workload& workload) {
  std::map<std::size_t, std::size_t> layer_of;
  const auto layers = layers_by_family(workload);
  for (const auto& [family, modules] : modules_by_family(architecture)) {
    const auto found = layers.find(family);
    if (found == layers.end() || found->second.size() != modules.size())
      continue;
    for (std::size_t i = 0; i < modules.size(); ++i)
      layer_of[modules[i]] = found->second[i];
  }
  return layer_of;
}

/// The layer that computes when so much of the forward pass is done.
std::size_t layer_at(const Workload& workload, double share) {
  const Seconds wanted = forward_time(workload) * share;
  Seconds done{};
  for (std::size_t i = 0; i < workload.layers.size(); ++i) {
    done += workload.layers[i].forward;
    if (workload.layers[i].kind != kHostGap && done >= wanted && done > Seconds{})
      return i;
  }
  return workload.layers.size() - 1;
}

/// Layers by module where no kind of layer tells: by the work before it.
std::map<std::size_t, std::size_t> spread(const Architecture& architecture,
                                          const Workload& workload) {
  std::map<std::size_t, std::size_t> layer_of;
  double all = 0;
  for (const ArchitectureLayer& module : architecture.layers)
    all += module.macs + module.extra_macs;
  double before = 0;
  for (std::size_t i = 0; i < architecture.layers.size(); ++i) {
    layer_of[i] = layer_at(workload, all > 0 ? before / all : 0);
    before += architecture.layers[i].macs + architecture.layers[i].extra_macs;
  }
  return layer_of;
}

}  // namespace

SuppliedGradients with_gradients_of(const Architecture& architecture, Workload workload,
                                    DataType type) {
  auto layer_of = join(architecture, workload);
  const std::size_t joined = layer_of.size();
  if (joined == 0)
    layer_of = spread(architecture, workload);
  for (Layer& layer : workload.layers)
    layer.parameters.clear();
  std::size_t layer = layer_of.begin()->second;
  for (std::size_t i = 0; i < architecture.layers.size(); ++i) {
    const ArchitectureLayer& module = architecture.layers[i];
    if (const auto found = layer_of.find(i); found != layer_of.end())
      layer = found->second;
    for (const Parameter& parameter : module.parameters)
      workload.layers[layer].parameters.push_back({.name = module.name + "." + parameter.name,
                                                   .elements = parameter.elements,
                                                   .dtype = type});
  }
  const std::string how =
      joined > 0 ? fmt::format(
                       "{} of its modules joined to layers by kind and order, the others to "
                       "the layer of the module before",
                       joined)
                 : "its modules spread over the layers by their share of the work";
  return {with_matrices_by_name(std::move(workload)),
          fmt::format("gradients of the architecture {}: {}", architecture.name, how)};
}

}  // namespace stepcast
