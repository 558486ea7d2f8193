#pragma once

#include <memory>

#include "sim/python/open_builder.hpp"

namespace stepcast {

using BuilderClass = pybind11::class_<OpenBuilder, std::shared_ptr<OpenBuilder>>;

/// all_reduce(label, size, ..), reduce_scatter, all_gather, all_to_all, broadcast, reduce, send.
void add_communication(BuilderClass& builder);

}  // namespace stepcast
