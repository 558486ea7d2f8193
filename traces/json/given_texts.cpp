#include "traces/json/given_texts.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

thread_local const GivenTexts* given = nullptr;

}  // namespace

GivenTexts::GivenTexts(std::map<std::string, std::string> texts,
                       std::optional<std::filesystem::path> only_below)
    : texts_(std::move(texts)), outer_(std::exchange(given, this)) {
  if (only_below)
    only_below_ = std::filesystem::weakly_canonical(*only_below);
}

GivenTexts::~GivenTexts() {
  given = outer_;
}

const std::string* find_given_text(const std::string& path) {
  for (const GivenTexts* each = given; each != nullptr; each = each->outer_)
    if (const auto found = each->texts_.find(path); found != each->texts_.end())
      return &found->second;
  return nullptr;
}

void check_may_read(const std::filesystem::path& path) {
  for (const GivenTexts* each = given; each != nullptr; each = each->outer_) {
    if (!each->only_below_)
      continue;
    std::error_code error;
    const auto target = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
    const auto& base = *each->only_below_;
    if (error || std::ranges::mismatch(base, target).in1 != base.end())
      throw InputError(
          path.string() +
          ": is not read: a job of others brings its files with it, and reads no other");
  }
}

void check_may_write(const std::filesystem::path& path) {
  for (const GivenTexts* each = given; each != nullptr; each = each->outer_)
    if (each->only_below_)
      throw InputError(path.string() + ": is not written: a job of others writes no file");
}

}  // namespace stepcast
