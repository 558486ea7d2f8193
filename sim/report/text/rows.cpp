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

}  // namespace

std::vector<NamedBytes> memory_rows(const Forecast& forecast) {
  std::vector<NamedBytes> rows;
  for (const MemoryRow& row : kMemoryRows)
    if (const Bytes size = row.size(forecast); size > Bytes{})
      rows.push_back({row.name, size});
  return rows;
}

std::vector<std::string> names_of_rows() {
  std::vector<std::string> names = breakdown_labels();
  for (const MemoryRow& row : kMemoryRows)
    names.emplace_back(row.name);
  return names;
}

}  // namespace stepcast
