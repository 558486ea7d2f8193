#pragma once

#include <string>
#include <string_view>

#include "sim/study/forecast.hpp"

namespace stepcast {

/// A forecast as bytes, for the pipe between two processes of this program and nowhere else: no
/// version, the byte order and number formats of the machine. Every bit of it survives.
std::string to_bytes(const Forecast& forecast);

/// Precondition: `bytes` come from to_bytes() of the same program.
Forecast forecast_from_bytes(std::string_view bytes);

}  // namespace stepcast
