#pragma once

#include <cstdint>
#include <string>

#include "models/base/enum_name.hpp"
#include "models/base/units.hpp"

namespace stepcast {

enum class EditKind : std::uint8_t { Fuse, Split, Resize, Recipe, Asked };

constexpr const char* name_of(EditKind kind) {
  return name_among({"fuse", "split", "resize", "recipe", "asked"}, kind);
}

/// An edit that made the step faster, or that was asked for.
struct AcceptedEdit {
  EditKind kind = EditKind::Fuse;
  std::string text;  ///< "fuse buckets 3 and 4 (12.5 MiB, 25 MiB)"
  Seconds gain{};
  Seconds step{};          ///< With this edit and those before it.
  std::uint32_t gpus = 0;  ///< Of the step from here on, which gains nothing; 0: as many as before.
};

}  // namespace stepcast
