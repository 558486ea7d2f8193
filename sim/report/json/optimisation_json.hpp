#pragma once

#include <string>

#include "sim/study/optimise/optimise.hpp"

namespace stepcast {

/// An optimisation as JSON text, indented; times in seconds, sizes in bytes.
std::string optimisation_json(const Optimisation& found);

}  // namespace stepcast
