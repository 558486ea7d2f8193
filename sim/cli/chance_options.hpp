#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"
#include "sim/forecast/chance/seeds.hpp"

namespace stepcast {

/// What the user says of chance, as typed.
struct ChanceRequest {
  std::vector<std::string> slow;
  std::string seeds;
  std::optional<std::uint32_t> iterations;
};

/// The options that fill it.
void add_chance_options(std::vector<CommandOption>& options, ChanceRequest& request);

/// Of each simulation, 0 where the user says none. Throws InputError for more than 1,000,000.
std::uint32_t iterations_of(const ChanceRequest& request);

/// Throws InputError for seeds that are neither a number nor "auto", or without anything to draw.
Chance chance_of(const ChanceRequest& request, std::uint32_t workers);

}  // namespace stepcast
