#include "traces/json/given_texts.hpp"

#include <utility>

namespace stepcast {
namespace {

thread_local const GivenTexts* given = nullptr;

}  // namespace

GivenTexts::GivenTexts(std::map<std::string, std::string> texts)
    : texts_(std::move(texts)), outer_(std::exchange(given, this)) {}

GivenTexts::~GivenTexts() {
  given = outer_;
}

const std::string* find_given_text(const std::string& path) {
  for (const GivenTexts* each = given; each != nullptr; each = each->outer_)
    if (const auto found = each->texts_.find(path); found != each->texts_.end())
      return &found->second;
  return nullptr;
}

}  // namespace stepcast
