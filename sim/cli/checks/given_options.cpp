#include "sim/cli/checks/given_options.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"

namespace stepcast {

std::string given_among(std::initializer_list<NamedOption> options) {
  std::vector<std::string> names;
  for (const NamedOption& option : options)
    if (option.is_given)
      names.emplace_back(option.name);
  if (names.size() < 2)
    return names.empty() ? "" : names.front();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

void refuse_given(std::string_view what_is_wrong, std::initializer_list<NamedOption> options) {
  if (const std::string given = given_among(options); !given.empty())
    throw InputError(fmt::format("{}: {}", given, what_is_wrong));
}

}  // namespace stepcast
