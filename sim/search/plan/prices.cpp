#include "sim/search/plan/prices.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr const char* kKind = ".json";

double price_of(ObjectReader& entry, const char* key) {
  if (!entry.has(key))
    return 0;
  const double price = entry.number(key, 0);
  if (price == 0)
    entry.fail(key,
               "expected a price above 0, found 0; leave out networks and storage that are not "
               "charged for, and give of GPUs or nodes what they cost you");
  return price;
}

HourlyPrice entry_of(ObjectReader& entry) {
  HourlyPrice price{.cluster = entry.text_or("cluster", ""),
                    .device = entry.text_or("device", ""),
                    .gpu = price_of(entry, "gpu_hour"),
                    .node = price_of(entry, "node_hour"),
                    .network = price_of(entry, "network_node_hour"),
                    .storage = price_of(entry, "storage_hour")};
  if (price.cluster.empty() == price.device.empty())
    entry.fail("cluster", "expected one of cluster and device, which the price is of");
  if (price.gpu == 0 && price.node == 0)
    entry.fail("gpu_hour", "missing; expected a price of a GPU, or node_hour, of a node");
  entry.text_or("source", "");
  entry.finish();
  return price;
}

std::string date_of(ObjectReader& root) {
  std::string date = root.text("date");
  const bool is_month = date.size() >= 7 && date[4] == '-' &&
                        date.find_first_not_of("0123456789-") == std::string::npos;
  if (!is_month)
    root.fail("date", fmt::format("expected a month such as \"2025-06\", or a day, found {}",
                                  in_quotes(date)));
  return date;
}

std::filesystem::path folder() {
  return data_root() / "configs/prices";
}

}  // namespace

std::vector<std::string> price_list_names() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), absent))
    if (entry.path().extension() == kKind)
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

PriceList load_prices(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(kKind))
    return read_prices(name);
  const std::vector<std::string> names = price_list_names();
  if (std::ranges::find(names, name) == names.end())
    throw InputError(fmt::format("`prices`: unknown list {}; expected {} or a .json file{}",
                                 in_quotes(name), fmt::join(names, ", "),
                                 did_you_mean(name, names)));
  return read_prices(folder() / (name + kKind));
}

PriceList read_prices(const std::filesystem::path& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  ObjectReader root(json, path.string());
  read_format_header(root, "stepcast-prices");
  PriceList list{.name = root.text("name"), .currency = root.text("currency")};
  list.date = date_of(root);
  list.provenance = read_provenance(root.object("provenance"));
  for (ObjectReader& entry : root.objects("prices"))
    list.prices.push_back(entry_of(entry));
  for (auto price = list.prices.begin(); price != list.prices.end(); ++price)
    if (std::any_of(list.prices.begin(), price, [&](const HourlyPrice& before) {
          return before.cluster == price->cluster && before.device == price->device;
        }))
      root.fail("prices", fmt::format("expected one price of {}, found two",
                                      in_quotes(price->cluster + price->device)));
  if (list.prices.empty())
    root.fail("prices", "expected at least one price, found none");
  root.finish();
  return list;
}

std::optional<double> hourly_cost(const PriceList& list, const Cluster& cluster) {
  const auto named = std::ranges::find_if(list.prices, [&](const HourlyPrice& price) {
    return !price.cluster.empty() && price.cluster == cluster.name;
  });
  const auto found = named != list.prices.end()
                         ? named
                         : std::ranges::find_if(list.prices, [&](const HourlyPrice& price) {
                             return !price.device.empty() && price.device == cluster.device.name;
                           });
  if (found == list.prices.end())
    return std::nullopt;
  return cluster.ranks() * found->gpu + cluster.nodes * (found->node + found->network) +
         found->storage;
}

}  // namespace stepcast
