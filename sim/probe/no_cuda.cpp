#include "sim/probe/hardware.hpp"
#include "sim/probe/hardware_error.hpp"

namespace stepcast {

std::unique_ptr<Hardware> open_hardware(std::optional<std::uint32_t> /*gpus*/) {
  throw HardwareError(
      "built without CUDA (STEPCAST_CUDA): nothing can be measured; --dry-run, and stepcast "
      "validate on recorded results, work");
}

}  // namespace stepcast
