#pragma once

#include <pybind11/pybind11.h>

namespace stepcast {

/// What Python's module is made of, a file each.
void add_builder(pybind11::module_& module);
void add_schedules(pybind11::module_& module);

}  // namespace stepcast
