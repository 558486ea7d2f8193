#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stepcast {

/// The part of a link that somebody uses, 1: all of it.
struct LinkShare {
  std::uint32_t link = 0;
  double part = 0;
};

/// Links by what is asked of them: those of a class are told apart by nothing that was refined by.
/// Rings over many nodes ask the same of hundreds of links, and a class is looked at once.
class LinkClasses {
 public:
  explicit LinkClasses(std::size_t links) : of_(links, 0), sizes_{links} {}

  std::uint32_t of(std::uint32_t link) const { return of_[link]; }
  std::size_t count() const { return sizes_.size(); }

  /// Splits classes until each has the same part on all of its links, none included. Returns, for
  /// each class that came new, from which it was split. Precondition: no link is named twice.
  /// O(n log n) for n shares.
  std::vector<std::uint32_t> refine(std::span<const LinkShare> shares);

 private:
  std::vector<std::uint32_t> of_;   // by link
  std::vector<std::size_t> sizes_;  // links, by class
};

}  // namespace stepcast
