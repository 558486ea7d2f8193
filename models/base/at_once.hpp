#pragma once

#include <cstddef>
#include <functional>

namespace stepcast {

/// Calls work(0), .., work(count - 1) on all cores that this process may use, each thread one after
/// the other: what it does must depend on nothing but its number. Then throws what the first of
/// them, by number, threw.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t number)>& work);

}  // namespace stepcast
