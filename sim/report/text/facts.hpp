#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/provenance.hpp"

namespace stepcast {

/// Lines "name   value" of `stepcast show`, values wrapped and aligned.
using Facts = std::vector<std::pair<std::string, std::string>>;

std::string render(const Facts& facts);

/// Kind, source, method and notes, one fact each.
void add_provenance(Facts& facts, const Provenance& provenance);

/// 25557032 as "25,557,032".
std::string with_thousands(std::uint64_t count);

}  // namespace stepcast
