#include "traces/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/workload/transformer/presets.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"
#include "traces/formats/stepcast/device_costs_reader.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/named_files.hpp"
#include "traces/transformers.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

struct Shelf {
  const char* folder;
  const char* one;
  const char* many;
};

// The shelves are in the order of CatalogKind.
constexpr std::array kShelves{Shelf{"traces/workloads", "workload", "workloads"},
                              Shelf{"configs/clusters", "cluster", "clusters"},
                              Shelf{"configs/experiments", "experiment", "experiments"},
                              Shelf{"configs/devices", "device", "devices"},
                              Shelf{"traces/architectures", "architecture", "architectures"},
                              Shelf{"traces/collectives", "measured collectives", "collectives"}};
static_assert(kShelves.size() == static_cast<std::size_t>(CatalogKind::Collectives) + 1);

const Shelf& shelf_of(CatalogKind kind) {
  return kShelves.at(static_cast<std::size_t>(kind));
}

fs::path& chosen_root() {
  static fs::path folder;
  return folder;
}

fs::path data_beside(const fs::path& program) {
  return program.parent_path().parent_path() / "share/stepcast";
}

// Looked for once: neither the program nor what it was built from moves while it runs.
fs::path found_root() {
  std::error_code ignored;
  // Both macros are set by the build.
  for (const fs::path& folder : {data_beside(fs::read_symlink("/proc/self/exe", ignored)),
                                 fs::path(STEPCAST_SOURCE_DATA), fs::path(STEPCAST_INSTALL_DATA)}) {
    if (fs::is_directory(folder / "configs", ignored))
      return folder;
  }
  throw InputError("no data folder found; set STEPCAST_DATA to the one that holds \"configs\"");
}

/// Of the measured collectives that a cluster file names.
fs::path find_curves(const fs::path& cluster, const std::string& name) try {
  return find_file(CatalogKind::Collectives, named_in(cluster, name));
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: /collectives: {}", cluster.string(), error.what()));
}

/// traces/hardware/<device>-<what>.json, if there is one.
std::optional<fs::path> find_hardware_file(const std::string& device, const char* what) {
  if (is_path(device))
    return std::nullopt;
  const fs::path file = data_root() / "traces/hardware" / fmt::format("{}-{}.json", device, what);
  std::error_code absent;
  return fs::is_regular_file(file, absent) ? std::optional(file) : std::nullopt;
}

// What was meant may be a transformer, which is no file and needs a device.
std::string hint_for(CatalogKind kind, const std::string& name) {
  std::vector<std::string> known = list_names(kind);
  if (kind != CatalogKind::Workload)
    return did_you_mean(name, known);
  const std::vector<std::string> transformers = transformer_names();
  if (std::ranges::find(transformers, name) != transformers.end())
    return fmt::format(
        "; of a transformer say the device, too, as in {}model={},device=a100 (see stepcast list "
        "transformers)",
        kTransformerPrefix, name);
  known.insert(known.end(), transformers.begin(), transformers.end());
  return did_you_mean(name, known);
}

}  // namespace

void set_data_root(fs::path folder) {
  chosen_root() = std::move(folder);
}

fs::path data_root() {
  std::error_code ignored;
  if (const char* chosen = std::getenv("STEPCAST_DATA"); chosen && *chosen) {
    if (!fs::is_directory(chosen, ignored))
      throw InputError(fmt::format("STEPCAST_DATA: expected a folder, found \"{}\"", chosen));
    return chosen;
  }
  if (!chosen_root().empty())
    return chosen_root();
  static const fs::path found = found_root();
  return found;
}

std::vector<std::string> names_in(const fs::path& folder, std::string_view extension) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(data_root() / folder, absent))
    if (entry.path().extension() == extension)
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> list_names(CatalogKind kind) {
  return names_in(shelf_of(kind).folder, ".json");
}

fs::path find_file(CatalogKind kind, const std::string& name) {
  if (is_path(name))
    return name;
  const Shelf& shelf = shelf_of(kind);
  fs::path file = data_root() / shelf.folder / (name + ".json");
  std::error_code absent;
  if (!name.empty() && fs::is_regular_file(file, absent))
    return file;
  throw InputError(fmt::format("unknown {} {} (see stepcast list {}){}", shelf.one, in_quotes(name),
                               shelf.many, hint_for(kind, name)));
}

fs::path find_workload(const std::string& name) {
  return find_file(CatalogKind::Workload, name);
}

fs::path find_cluster(const std::string& name) {
  return find_file(CatalogKind::Cluster, name);
}

fs::path find_experiment(const std::string& name) {
  return find_file(CatalogKind::Experiment, name);
}

Workload load_workload(const std::string& name) {
  if (auto transformer = find_transformer_model(name))
    return *std::move(transformer);
  const fs::path file = find_workload(name);
  Workload workload = read_workload(file);
  workload.kfac = find_kfac_costs(workload.device);
  workload.compression = find_compression_costs(workload.device);
  return workload;
}

std::optional<KfacCosts> find_kfac_costs(const std::string& device) {
  const auto file = find_hardware_file(device, "kfac");
  return file ? std::optional(read_kfac_costs(*file)) : std::nullopt;
}

std::optional<CompressionCosts> find_compression_costs(const std::string& device) {
  const auto file = find_hardware_file(device, "compression");
  return file ? std::optional(read_compression_costs(*file)) : std::nullopt;
}

Cluster load_cluster(const std::string& name) {
  if (!is_path(name)) {
    if (std::optional<Cluster> ideal = find_ideal_cluster(name))
      return *std::move(ideal);
  }
  const fs::path file = find_cluster(name);
  Cluster cluster = read_cluster(file);
  if (cluster.measured)
    cluster.measured = read_collectives(find_curves(file, cluster.measured->name));
  return cluster;
}

std::optional<MeasuredCollectives> load_collectives(const std::string& name) {
  if (name == "none")
    return std::nullopt;
  return read_collectives(find_file(CatalogKind::Collectives, name));
}

Experiment load_experiment(const std::string& name) {
  return read_experiment(find_experiment(name));
}

std::vector<fs::path> files_called(const std::string& name) try {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const char* folder :
       {"traces/workloads", "configs/clusters", "configs/experiments", "configs/devices",
        "traces/architectures", "traces/collectives", "traces/published/goals"})
    if (const fs::path file = data_root() / folder / (name + ".json");
        !name.empty() && fs::is_regular_file(file, absent))
      files.push_back(file);
  if (fs::is_regular_file(data_root() / "configs/experiments" / (name + ".json"), absent)) {
    const Experiment experiment = load_experiment(name);
    std::vector<std::string> named{experiment.workload, experiment.cluster};
    std::ranges::copy(experiment.workloads, std::back_inserter(named));
    std::ranges::copy(experiment.clusters, std::back_inserter(named));
    for (const std::string& each : named)
      if (each != name)
        std::ranges::copy(files_called(each), std::back_inserter(files));
  }
  return files;
} catch (const InputError&) {
  return {};
}

std::optional<std::string> find_device_called(const std::string& profiler_name) {
  for (const std::string& device : list_names(CatalogKind::Device)) {
    const auto names = read_profiler_names(find_file(CatalogKind::Device, device));
    if (std::ranges::find(names, profiler_name) != names.end())
      return device;
  }
  return std::nullopt;
}

}  // namespace stepcast
