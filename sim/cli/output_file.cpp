#include "sim/cli/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/cli/tell.hpp"
#include "traces/catalog.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

/// Where a name leads that may be that of no file yet, through links too.
fs::path target_of(const std::string& name) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  fs::path path = fs::absolute(name, error);
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return fs::weakly_canonical(path, error);
}

/// Whether both names lead to one regular file, there or not yet. Devices may be given twice.
bool same_file(const std::string& left, const std::string& right) {
  std::error_code error;
  if (fs::exists(left, error) && !fs::is_regular_file(left, error))
    return false;
  if (fs::equivalent(left, right, error) && !error)
    return true;
  return target_of(left) == target_of(right);
}

/// Whether writing there would overwrite what is read: the file, or one in the folder.
bool is_read(const std::string& output, const std::string& input) {
  std::error_code error;
  if (!fs::exists(output, error) || !fs::exists(input, error))
    return false;
  if (!fs::is_directory(input, error))
    return same_file(output, input);
  return fs::equivalent(target_of(output).parent_path(), input, error);
}

/// What an option was given that may be a file's name; of KEY=FILE the file, of a name that
/// StepCast's own data bear those.
std::vector<std::string> files_of(const CommandOption& option) {
  std::vector<std::string> files, all;
  if (const auto* one = std::get_if<std::string*>(&option.target))
    files = {**one};
  else if (const auto* several = std::get_if<std::vector<std::string>*>(&option.target))
    files = **several;
  else if (const auto* listed = std::get_if<CommaList*>(&option.target))
    files = (*listed)->items;
  const bool is_setting = option.value.starts_with("KEY=");
  for (std::string& file : files)
    if (is_setting)
      file.erase(0, file.find('=') + 1);
  const bool takes_files = is_argument(option) || option.value == "FILE" || option.value == "OLD";
  for (const std::string& file : files) {
    const bool is_word = file.find_first_of("./") == std::string::npos;
    if (!file.empty() && (takes_files || !is_word))
      all.push_back(file);
    if (is_word && !option.is_output)
      for (const auto& own : files_called(file))
        all.push_back(own.string());
  }
  return all;
}

}  // namespace

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(path + ": cannot be written: is a directory");
  if (fs::exists(path, error))
    return;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw InputError(path + ": cannot be written: there is no folder " + folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(path + ": cannot be written: " + std::strerror(errno));
}

void print_then_write(std::string_view result, const std::vector<std::function<void()>>& files) {
  say("{}", result);
  std::fflush(stdout);
  std::string failed;
  for (const std::function<void()>& write : files)
    try {
      write();
    } catch (const InputError& error) {
      failed += (failed.empty() ? "" : "; ") + std::string(error.what());
    }
  if (!failed.empty())
    throw InputError(failed);
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (auto each = outputs.begin(); each != outputs.end(); ++each) {
    check_writable(each->path);
    for (auto other = outputs.begin(); other != each; ++other)
      if (same_file(other->path, each->path))
        throw InputError(fmt::format("{} {}: is the file of {} too; one of the two would be lost",
                                     each->option, each->path, other->option));
    for (const NamedFile& input : inputs)
      if (is_read(each->path, input.path))
        throw InputError(fmt::format("{} {}: is the file that is read ({} {}); it would be lost",
                                     each->option, each->path, input.option, input.path));
  }
}

void check_given_files(std::span<const CommandOption> given) {
  if (std::ranges::none_of(given, &CommandOption::is_output))
    return;  // nothing is written; to find what is read costs a look at some hundred names
  std::vector<NamedFile> outputs, inputs;
  for (const CommandOption& option : given)
    for (std::string& file : files_of(option))
      (option.is_output ? outputs : inputs)
          .push_back({option.name.substr(option.name.rfind(',') + 1), std::move(file)});
  check_outputs(outputs, inputs);
}

}  // namespace stepcast
