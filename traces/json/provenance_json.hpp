#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/base/provenance.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

/// Reads `{"kind": "measured" | "derived" | "assumed", "source": "...", "method"?: "...",
/// "notes"?: ["..."]}` strictly. Throws InputError.
Provenance read_provenance(ObjectReader reader);

/// Notes and caveats as a file holds them: a caveat begins with "caveat: ".
std::vector<std::string> notes_in_file(const Provenance& provenance);

/// The notes on a single figure, such as "batch" or "nic.bandwidth": those that begin with its
/// name.
std::vector<std::string> notes_on(const Provenance& provenance, std::string_view figure);

/// The same object; an empty method and empty notes are left out.
nlohmann::ordered_json provenance_json(const Provenance& provenance);

/// "measured", "derived" or "assumed".
std::string name_of(ProvenanceKind kind);

}  // namespace stepcast
