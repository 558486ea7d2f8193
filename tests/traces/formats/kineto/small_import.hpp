#pragma once
// Imports of the small trace, and what tests look at in them.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/traces/formats/kineto/small_trace.hpp"

namespace stepcast::small {

inline constexpr double kExactTime = 1e-12;

inline const Layer& layer_of(const Workload& workload, const std::string& name) {
  const auto found = std::ranges::find(workload.layers, name, &Layer::name);
  EXPECT_NE(found, workload.layers.end()) << name;
  return found == workload.layers.end() ? workload.layers.front() : *found;
}

inline bool has_note(const Workload& workload, const std::string& note) {
  const auto& notes = workload.provenance.notes;
  return std::ranges::find(notes, note) != notes.end();
}

inline Workload import_small(const std::string& text, const ImportOptions& options = {}) {
  ImportReport report;
  return import_kineto(text, options, report);
}

inline std::string import_error_of(const std::string& text, const ImportOptions& options = {}) {
  return input_error_of([&] { import_small(text, options); });
}

}  // namespace stepcast::small
