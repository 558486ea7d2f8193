#include <cstdio>

#include "models/base/text.hpp"
#include "sim/engine/engine.hpp"

// What another project may do with the installed libraries: uses the lowest and a high one.
int main() {
  const stepcast::Seconds time = stepcast::parse_seconds("2us");
  const char* fidelity = stepcast::name_of(stepcast::Fidelity::Flow);
  std::printf("%s %s\n", stepcast::format_seconds(time).c_str(), fidelity);
  return 0;
}
