#pragma once

#include <string>
#include <vector>

#include "models/base/fields.hpp"

namespace stepcast {

/// How a number came to be. Reports say which kind their inputs were.
enum class ProvenanceKind { Measured, Derived, Assumed };

/// Where the numbers of a file come from.
struct Provenance {
  ProvenanceKind kind = ProvenanceKind::Assumed;
  std::string source;                ///< Who measured it, on what; or what it was derived from.
  std::string method;                ///< How it was derived; empty if measured directly.
  std::vector<std::string> notes;    ///< On single figures: "nic.bandwidth: ...".
  std::vector<std::string> caveats;  ///< What every report that uses the numbers has to say.
};

auto fields_of(Is<Provenance> auto& provenance) {
  auto& [kind, source, method, notes, caveats] = provenance;
  return std::tie(kind, source, method, notes, caveats);
}

}  // namespace stepcast
