#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/readers/chakra/chakra_graph.hpp"

namespace stepcast {

/// A call of an operator on the host with the device work that it launched.
struct ChakraOperator {
  std::string name;  ///< "convolution_backward" of "aten::convolution_backward(0)".
  Seconds device{};  ///< Of its work; collectives are not in it.
  std::uint32_t work = 0;
  bool communicates = false;
  Bytes reduced{};  ///< By all-reduces and reduce-scatters that it launched, as far as recorded.
};

/// The operators in the order of the graph.
///
/// The converter cuts a host operator at each launch and numbers the pieces: "aten::mm(0)",
/// "aten::mm(1)" are one call. Device work depends on the piece that launched it first of all; work
/// that depends on no operator is a call of its own.
std::vector<ChakraOperator> operators_of(const std::vector<ChakraNode>& nodes);

}  // namespace stepcast
