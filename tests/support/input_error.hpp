#pragma once

#include <string>

#include "models/base/error.hpp"

namespace stepcast {

/// The message of the InputError that `act` throws; "no error" if it throws none.
template <class Act>
std::string input_error_of(Act act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace stepcast
