#pragma once

#include <algorithm>
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

/// Some of the classes. Those that are compared have the same size.
class ClassSet {
 public:
  void resize(std::size_t classes) { words_.resize((classes + 63) / 64); }
  void clear() { std::ranges::fill(words_, 0); }

  bool has(std::uint32_t id) const { return (words_[id / 64] >> id % 64 & 1U) != 0; }
  void put(std::uint32_t id) { words_[id / 64] |= std::uint64_t{1} << id % 64; }
  void set(std::uint32_t id, bool is_in) {
    words_[id / 64] &= ~(std::uint64_t{1} << id % 64);
    words_[id / 64] |= std::uint64_t{is_in} << id % 64;
  }

  bool meets(const ClassSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      common |= words_[i] & other.words_[i];
    return common != 0;
  }
  /// Puts what `a` and `b` have in common; whether any of that is new.
  bool put_common(const ClassSet& a, const ClassSet& b) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      added |= a.words_[i] & b.words_[i] & ~words_[i];
      words_[i] |= a.words_[i] & b.words_[i];
    }
    return added != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace stepcast
