#include "sim/study/forecast_archive.hpp"

#include <cassert>
#include <cstring>
#include <type_traits>

namespace stepcast {
namespace {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

class Writer {
 public:
  void operator()(const Plain auto& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void operator()(Plain auto& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    assert(size <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

template <class T>
concept Stored = Plain<T> || std::is_same_v<T, std::string>;

// The fields of each type. A field added to a type stops this file from compiling: a structured
// binding names all of them.
auto fields_of(auto&& visit, NamedTime& value) {
  auto& [name, time] = value;
  visit(name, time);
}

auto fields_of(auto&& visit, Breakdown& value) {
  auto& [forward, backward, other, exposed, waiting, idle] = value;
  visit(forward, backward, other, exposed, waiting, idle);
}

auto fields_of(auto&& visit, LinkLoad& value) {
  auto& [name, alike, bytes, bandwidth, utilisation] = value;
  visit(name, alike, bytes, bandwidth, utilisation);
}

auto fields_of(auto&& visit, PathEntry& value) {
  auto& [what, begin, time] = value;
  visit(what, begin, time);
}

auto fields_of(auto&& visit, Provenance& value) {
  auto& [kind, source, method, notes] = value;
  visit(kind, source, method, notes);
}

auto fields_of(auto&& visit, MemoryUse& value) {
  auto& [parameters, gradients, optimiser, activations, fusion, communication, factors, inverses,
         kept_by_hooks, preconditioned, residuals, known] = value;
  visit(parameters, gradients, optimiser, activations, fusion, communication, factors, inverses,
        kept_by_hooks, preconditioned, residuals, known);
}

auto fields_of(auto&& visit, Forecast& value) {
  auto& [workload, cluster, schedule, options, device, batch, nodes, gpus_per_node, gpus, workers,
         passes, steps, fidelity, iteration_time, worst_iteration_time, steady, iterations,
         throughput, efficiency, slowest_ranks, breakdown, fastest_waiting, communication,
         sent_per_gpu, memory, device_memory, links, path, why, notes, workload_provenance,
         cluster_provenance] = value;
  visit(workload, cluster, schedule, options, device, batch, nodes, gpus_per_node, gpus, workers,
        passes, steps, fidelity, iteration_time, worst_iteration_time, steady, iterations,
        throughput, efficiency, slowest_ranks, breakdown, fastest_waiting, communication,
        sent_per_gpu, memory, device_memory, links, path, why, notes, workload_provenance,
        cluster_provenance);
}

template <class Archive, class T>
void store(Archive& archive, T& value);

void store_container(Writer& writer, ScheduleOptions& options) {
  writer(options.size());
  for (const auto& [name, text] : options) {
    writer(name);
    writer(text);
  }
}

void store_container(Reader& reader, ScheduleOptions& options) {
  std::size_t count = 0;
  for (reader(count); count > 0; --count) {
    std::string name;
    reader(name);
    reader(options[name]);
  }
}

template <class Archive, class Item>
void store_container(Archive& archive, std::vector<Item>& items) {
  std::size_t count = items.size();
  archive(count);
  items.resize(count);
  for (Item& item : items)
    store(archive, item);
}

template <class Archive, class T>
void store(Archive& archive, T& value) {
  if constexpr (Stored<T>)
    archive(value);
  else if constexpr (requires { value.begin(); })
    store_container(archive, value);
  else
    fields_of([&](auto&... fields) { (store(archive, fields), ...); }, value);
}

}  // namespace

std::string to_bytes(const Forecast& forecast) {
  Writer writer;
  Forecast copy = forecast;  // one description of the fields serves both directions
  store(writer, copy);
  return writer.take();
}

Forecast forecast_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  Forecast forecast;
  store(reader, forecast);
  assert(reader.at_end());
  return forecast;
}

}  // namespace stepcast
