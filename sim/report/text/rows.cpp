#include "sim/report/text/rows.hpp"

#include <array>

namespace stepcast {
namespace {

struct MemoryRow {
  const char* name;
  Bytes (*size)(const Forecast&);
};

constexpr std::array kMemoryRows = {
    MemoryRow{"parameters", [](const Forecast& f) { return f.memory.parameters; }},
    MemoryRow{"gradients", [](const Forecast& f) { return f.memory.gradients; }},
    MemoryRow{"optimiser", [](const Forecast& f) { return f.memory.optimiser; }},
    MemoryRow{"activations", [](const Forecast& f) { return f.memory.activations; }},
    MemoryRow{"fusion buffers", [](const Forecast& f) { return f.memory.fusion_buffers; }},
    MemoryRow{"communication buffers",
              [](const Forecast& f) { return f.memory.communication_buffers; }},
    MemoryRow{"factors", [](const Forecast& f) { return f.memory.factors; }},
    MemoryRow{"inverses", [](const Forecast& f) { return f.memory.inverses; }},
    MemoryRow{"kept by hooks", [](const Forecast& f) { return f.memory.kept_by_hooks; }},
    MemoryRow{"preconditioned", [](const Forecast& f) { return f.memory.preconditioned; }},
    MemoryRow{"residuals", [](const Forecast& f) { return f.memory.residuals; }},
    MemoryRow{"total", [](const Forecast& f) { return f.memory.total(); }},
    MemoryRow{"device memory", [](const Forecast& f) { return f.device_memory; }},
};

constexpr const char* kForward = "forward";
constexpr const char* kBackward = "backward";
constexpr const char* kOtherCompute = "other compute";
constexpr const char* kExposed = "exposed communication";
constexpr const char* kWaiting = "waiting for slower ranks";
constexpr const char* kIdle = "idle";

}  // namespace

std::vector<NamedTime> breakdown_rows(const Breakdown& parts) {
  std::vector<NamedTime> rows{{kForward, parts.forward}, {kBackward, parts.backward}};
  const auto add = [&](const char* what, const std::vector<NamedTime>& times) {
    for (const NamedTime& part : times)
      rows.push_back({std::string(what).append(": ").append(part.name), part.time});
  };
  add(kOtherCompute, parts.other_compute);
  add(kExposed, parts.exposed_communication);
  rows.push_back({kWaiting, parts.waiting});
  rows.push_back({kIdle, parts.idle});
  return rows;
}

std::vector<NamedBytes> memory_rows(const Forecast& forecast) {
  std::vector<NamedBytes> rows;
  for (const MemoryRow& row : kMemoryRows)
    if (const Bytes size = row.size(forecast); size > Bytes{})
      rows.push_back({row.name, size});
  return rows;
}

std::vector<std::string> names_of_rows() {
  std::vector<std::string> names;
  for (const MemoryRow& row : kMemoryRows)
    names.emplace_back(row.name);
  for (const char* row : {kForward, kBackward, kOtherCompute, kExposed, kWaiting, kIdle})
    names.emplace_back(row);
  return names;
}

}  // namespace stepcast
