#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// A forecast as one array of all its numbers, words and flags, before each list its length: what a
/// study writes down to go on from after it was ended. Every bit survives. Only the same version of
/// the program reads it.
nlohmann::json flat_json(const Forecast& forecast);

/// Throws InputError that begins with `origin` unless flat_json() could have written it of a
/// forecast: the file may be anybody's, so that its numbers pass ranges as those of inputs do.
Forecast forecast_from_flat(const nlohmann::json& flat, const std::string& origin);

/// 16 hexadecimal digits that tell which fields a forecast of this build has: builds of one version
/// may differ in them.
std::string forecast_layout();

}  // namespace stepcast
