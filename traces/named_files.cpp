#include "traces/named_files.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

bool all_paths_are_allowed() {
  const char* allowed = std::getenv("STEPCAST_ALLOW_PATHS");
  return allowed != nullptr && *allowed != '\0';
}

/// Whether the file lies in the folder or below it, also where links on the way to it lead.
bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path base = fs::weakly_canonical(fs::absolute(folder, error), error);
  const fs::path target = fs::weakly_canonical(fs::absolute(path, error), error);
  return !error && std::ranges::mismatch(base, target).in1 == base.end();
}

}  // namespace

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

std::string named_in(const fs::path& file, const std::string& name) {
  if (!is_path(name))
    return name;
  const fs::path folder = file.parent_path();
  const fs::path path = folder / name;
  const fs::path inside = fs::path(name).lexically_normal();
  const bool leads_out = inside.is_absolute() || *inside.begin() == ".." ||
                         !is_below(path, folder.empty() ? fs::path(".") : folder);
  if (leads_out && !all_paths_are_allowed())
    throw InputError(
        fmt::format("{} leads out of the folder of the file that names it; "
                    "--allow-paths follows it",
                    in_quotes(name)));
  return path.string();
}

}  // namespace stepcast
