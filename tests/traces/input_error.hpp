#pragma once

#include <string>

#include "models/base/error.hpp"

namespace stepcast {

/// The message of the InputError that `action` throws; "no error" if it throws none.
template <class Action>
std::string input_error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace stepcast
