#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/workload/workload.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"

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

/// The layers of a graph's step, and how they were found.
struct ChakraLayers {
  std::vector<Layer> layers;     ///< In forward order.
  Seconds update{};              ///< By the optimizer.
  std::size_t joined = 0;        ///< Backward operators joined to their forward one.
  std::size_t backward = 0;      ///< Operators of the backward pass with device work.
  std::vector<std::string> odd;  ///< Kinds that occur another number of times in either direction.
};

/// Takes the operators apart into layers. The graph names neither modules nor autograd's sequence
/// numbers, so that they are found by order:
/// - the backward pass lasts from the first operator whose name says so to the last one, with what
///   follows it before the next collective (its gradient's way into a bucket);
/// - what comes behind is the update: also copies out of the buckets;
/// - autograd takes the nodes in reverse order: the last convolution_backward is the first
/// conv2d's,
///   and so on, if a kind occurs as often in either direction;
/// - other operators of the backward pass belong to the layer before them;
/// - forward, each operator with device work is a layer; equal ones in a row without a backward
///   operator (copies of buffers) are one.
ChakraLayers layers_of(const std::vector<ChakraOperator>& operators);

}  // namespace stepcast
