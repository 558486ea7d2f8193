#pragma once

#include <string>

#include "sim/study/goodput/goodput_study.hpp"

namespace stepcast {

std::string render_goodput(const GoodputAnswer& answer);

}  // namespace stepcast
