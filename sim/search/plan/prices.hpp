#pragma once
// What GPUs cost to rent or to own.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/network/cluster.hpp"

namespace stepcast {

/// What an hour costs, in the currency of the list; 0: not charged for.
struct HourlyPrice {
  std::string cluster;  ///< Empty: of every cluster of `device`.
  std::string device;
  double gpu = 0;      ///< Of each GPU,
  double node = 0;     ///< of each node on top,
  double network = 0;  ///< of each node's place in the network,
  double storage = 0;  ///< and of the job's storage.
};

struct PriceList {
  std::string name;
  std::string currency;
  std::string date;  ///< "2025-06": of when the prices are.
  Provenance provenance;
  std::vector<HourlyPrice> prices;
};

/// The list behind a name in configs/prices, or a path. Throws InputError naming file and field for
/// a price that is not above 0, an entry without one of GPUs or nodes, or a date that is none.
PriceList load_prices(const std::string& name);
PriceList read_prices(const std::filesystem::path& path);

/// Names of the shipped lists, sorted.
std::vector<std::string> price_list_names();

/// The currency of a plan for which a price is missing.
inline constexpr const char* kGpuHours = "GPU hours";

/// Returns what an hour of the whole cluster costs: by the entry of its name, else by that of its
/// device; nullopt where the list has neither.
std::optional<double> hourly_cost(const PriceList& list, const Cluster& cluster);

}  // namespace stepcast
