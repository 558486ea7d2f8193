#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"
#include "traces/formats/stepcast/experiments/experiment_reader.hpp"

namespace stepcast {

/// What the data folder holds, one subfolder each.
enum class CatalogKind { Workload, Cluster, Experiment, Device, Architecture, Collectives };

/// The folder that holds traces/ and configs/: the environment variable STEPCAST_DATA if set, else
/// share/stepcast beside the program's folder (it was installed, wherever that was moved), else the
/// source tree that it was built from, else the one of the install prefix. Throws InputError if
/// there is none.
std::filesystem::path data_root();

/// For programs that are not in a folder beside their data, such as a module of Python: where the
/// environment variable is not set, data_root() is `folder`.
void set_data_root(std::filesystem::path folder);

/// Names of the shipped files of a kind, sorted.
std::vector<std::string> list_names(CatalogKind kind);

/// Returns the names of the files with this extension in a folder that counts from data_root(),
/// sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view extension);

/// The file behind a name, or behind a path: whatever holds a '/' or ends in ".json" is a path and
/// returned as it is. Throws InputError naming the nearest name for an unknown one.
std::filesystem::path find_file(CatalogKind kind, const std::string& name);

std::filesystem::path find_workload(const std::string& name);
std::filesystem::path find_cluster(const std::string& name);
std::filesystem::path find_experiment(const std::string& name);

/// Reads the file behind a name or path, and the K-FAC and compression costs of its device. Throws
/// InputError.
Workload load_workload(const std::string& name);
/// traces/hardware/<device>-kfac.json, if there is one. Throws InputError for a faulty one.
std::optional<KfacCosts> find_kfac_costs(const std::string& device);
/// traces/hardware/<device>-compression.json, if there is one. Throws InputError for a faulty one.
std::optional<CompressionCosts> find_compression_costs(const std::string& device);
/// With its measured collectives, if it names some. Also knows "ideal-<nodes>x<gpus>", of any size
/// and without a file.
Cluster load_cluster(const std::string& name);
/// Measured collectives by name or path, fitted; none for "none". Throws InputError.
std::optional<MeasuredCollectives> load_collectives(const std::string& name);
/// Paths of workload and cluster in the file are relative to the file.
Experiment load_experiment(const std::string& name);

/// The files among StepCast's own data, of whatever kind, that have the name; with an experiment
/// also those that it names. Nothing where there is no such file or no data.
std::vector<std::filesystem::path> files_called(const std::string& name);

/// Name of the shipped device that a profiler calls so, by the "profiler_names" of its file:
/// "rtx2080ti" of "NVIDIA GeForce RTX 2080 Ti". None if no device says so. Throws InputError for a
/// faulty device file.
std::optional<std::string> find_device_called(const std::string& profiler_name);

}  // namespace stepcast
