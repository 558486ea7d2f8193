#pragma once
// Jobs that ByteDance published with their analysis (OSDI'25).

#include <filesystem>
#include <span>

#include "tests/support/recorded_data.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {

inline std::filesystem::path jobs_folder() {
  return recorded_data("multirank/bytedance_stragglers");
}

/// On one clock.
inline Job read_published(const char* name) {
  ImportReport report;
  const std::filesystem::path path = jobs_folder() / name;
  return read_job(std::span(&path, 1), jobs_folder() / "jobs.csv", report);
}

}  // namespace stepcast
