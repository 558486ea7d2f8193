#pragma once

#include <string>

#include "sim/study/goodput/goodput_study.hpp"

namespace stepcast {

std::string goodput_json(const GoodputAnswer& answer);

}  // namespace stepcast
