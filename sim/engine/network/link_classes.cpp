#include "sim/engine/network/link_classes.hpp"

#include <map>
#include <utility>

// Collectives ask the same of many links, and neighbours in the list mostly ask the same: the few
// pairs of a class and a part are kept in order, and not the links.

namespace stepcast {

std::vector<std::uint32_t> LinkClasses::refine(std::span<const LinkShare> shares) {
  std::map<std::pair<std::uint32_t, double>, std::vector<std::uint32_t>> asked;  // links
  auto last = asked.end();
  for (const LinkShare& share : shares) {
    const std::pair key(of_[share.link], share.part);
    if (last == asked.end() || last->first != key)
      last = asked.try_emplace(key).first;
    last->second.push_back(share.link);
  }
  std::vector<std::uint32_t> split_from;
  for (const auto& [key, links] : asked) {
    const std::uint32_t old = key.first;
    if (links.size() == sizes_[old])
      continue;
    for (const std::uint32_t link : links)
      of_[link] = static_cast<std::uint32_t>(sizes_.size());
    sizes_[old] -= links.size();
    sizes_.push_back(links.size());
    split_from.push_back(old);
  }
  return split_from;
}

}  // namespace stepcast
