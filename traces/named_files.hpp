#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stepcast {

/// Whether it is a path and not a name that is looked for among StepCast's own data.
bool is_path(std::string_view name);

/// What a file names, as it is seen from the working directory: a path counts from the folder of
/// `file`, a name stays as it is. A file of others may name what lies beside and below it and
/// nothing else of this machine, whose contents an error message would show: throws InputError for
/// a path that leads out of the folder, by "..", from the root or through a link, unless
/// --allow-paths is given.
std::string named_in(const std::filesystem::path& file, const std::string& name);

}  // namespace stepcast
