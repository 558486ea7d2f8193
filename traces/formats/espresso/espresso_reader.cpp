#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/ready_gaps.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;
constexpr double kLargestGap = 3.6e9;  // An hour.
constexpr double kMostElements = 1e12;

json models_of(const TraceStream& file) {
  json document = parse_json(text_of(file), file.origin);
  const auto models = document.find("models");
  if (models == document.end() || !models->is_object() || models->empty())
    throw InputError(file.origin + ": /models: expected models with their gradients");
  return *models;
}

ReadyGradient gradient_of(const json& entry, const std::string& place) {
  const bool sound = entry.is_array() && entry.size() == 3 && entry[0].is_string() &&
                     entry[1].is_number_unsigned() && entry[1] > 0 && entry[2].is_number() &&
                     entry[1] <= kMostElements && entry[2] >= 0 && entry[2] <= kLargestGap;
  if (!sound)
    throw InputError(place + ": expected [name, elements, microseconds]");
  return {.name = entry[0],
          .elements = entry[1],
          .gap = Seconds{entry[2].get<double>() * kMicrosecond}};
}

std::vector<ReadyGradient> gradients_of(const json& model, const std::string& place) {
  if (!model.is_array())
    throw InputError(place + ": expected a list of gradients");
  std::vector<ReadyGradient> gradients;
  for (std::size_t i = 0; i < model.size(); ++i)
    gradients.push_back(gradient_of(model[i], fmt::format("{}/{}", place, i)));
  return gradients;
}

std::string model_in(const json& models, const std::string& wanted, const std::string& origin) {
  std::vector<std::string> names;
  for (const auto& [name, gradients] : models.items())
    names.push_back(name);
  if (wanted.empty() && names.size() == 1)
    return names.front();
  if (models.contains(wanted))
    return wanted;
  throw InputError(fmt::format("{}: give the model with --model: one of {}{}", origin,
                               fmt::join(names, ", "),
                               wanted.empty() ? "" : did_you_mean(wanted, names)));
}

class EspressoReader final : public TraceReader {
 public:
  std::string name() const override { return "espresso"; }

  bool sniff(std::string_view head) const override {
    const std::size_t models = head.find("\"models\"");
    const std::size_t list = head.find("[[\"");
    return head.find_first_not_of(" \t\r\n{") != std::string_view::npos &&
           models != std::string_view::npos && list != std::string_view::npos && models < list;
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override {
    const TraceStream& file = only_file(files, name());
    const json models = models_of(file);
    const std::string model = model_in(models, options.model, file.origin);
    const auto gradients =
        gradients_of(models[model], fmt::format("{}: /models/{}", file.origin, model));
    return workload_of_gaps(gradients,
                            {.origin = file.origin,
                             .model = model,
                             .device = name(),
                             .source = fmt::format("ready gaps {}", file.origin),
                             .method = "backward time of a module: the gaps before its gradients "
                                       "became ready, summed"},
                            options, report);
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                       ImportReport&) const override {
    const TraceStream& file = only_file(files, name());
    TraceSummary summary{.format = name()};
    const json models = models_of(file);
    for (const auto& [model, entries] : models.items()) {
      const auto gradients =
          gradients_of(entries, fmt::format("{}: /models/{}", file.origin, model));
      Seconds time{};
      std::uint64_t elements = 0;
      for (const ReadyGradient& gradient : gradients) {
        time += gradient.gap;
        elements += gradient.elements;
      }
      summary.facts.emplace_back(
          model, fmt::format("{} gradients, {} elements", gradients.size(), elements));
      summary.categories.push_back({"backward of " + model, time, gradients.size()});
    }
    return summary;
  }
};

}  // namespace

const TraceReader& espresso_reader() {
  static const EspressoReader reader;
  return reader;
}

}  // namespace stepcast
