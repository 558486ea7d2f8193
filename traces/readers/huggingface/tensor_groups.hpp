#pragma once
// Tensors that families share. A norm has a scale and a shift (layer norm) or a scale alone.

#include <array>

#include "traces/readers/huggingface/model_tensors.hpp"

namespace stepcast::tensors {

using enum TensorPart;
using enum TensorSize;

inline constexpr std::array kWords{Tensor{Embedding, Vocabulary, Hidden}};
/// Words of another size than the hidden one.
inline constexpr std::array kEmbeddedWords{Tensor{Embedding, Vocabulary, Embedded}};
inline constexpr std::array kLearnedPositions{Tensor{Embedding, Positions, Hidden}};
inline constexpr std::array kEmbeddingNorm{Tensor{Embedding, Hidden, One, 2}};
inline constexpr std::array kHeadMatrix{Tensor{TensorPart::Head, Vocabulary, Hidden}};
inline constexpr std::array kHeadBias{Tensor{TensorPart::Head, Vocabulary}};

inline constexpr std::array kAttention{Tensor{Block, Hidden, Queries},
                                       Tensor{Block, Hidden, KeyValues, 2},
                                       Tensor{Block, Queries, Hidden}};
inline constexpr std::array kQkvBiases{Tensor{Block, Queries}, Tensor{Block, KeyValues, One, 2}};
inline constexpr std::array kOutputBias{Tensor{Block, Hidden}};
inline constexpr std::array kAttentionBiases{
    Tensor{Block, Queries}, Tensor{Block, KeyValues, One, 2}, Tensor{Block, Hidden}};
/// One norm for the queries of each head, one for its keys.
inline constexpr std::array kHeadScales{Tensor{Block, HeadSize, One, 2}};
inline constexpr std::array kHeadNorms{Tensor{Block, HeadSize, One, 4}};
/// One norm for the queries of all heads together, one for their keys.
inline constexpr std::array kWholeScales{Tensor{Block, Queries}, Tensor{Block, KeyValues}};
/// A score of each head that takes part in the softmax (attention sink).
inline constexpr std::array kSinks{Tensor{Block, Heads}};

inline constexpr std::array kGatedMlp{Tensor{DenseBlock, Hidden, Inner, 3}};
inline constexpr std::array kGatedMlpBiases{Tensor{DenseBlock, Inner, One, 2},
                                            Tensor{DenseBlock, Hidden}};
inline constexpr std::array kPlainMlp{Tensor{DenseBlock, Hidden, Inner, 2}};
inline constexpr std::array kPlainMlpBiases{Tensor{DenseBlock, Inner}, Tensor{DenseBlock, Hidden}};

inline constexpr std::array kGatedExperts{Tensor{Expert, Hidden, ExpertInner, 3}};
inline constexpr std::array kGatedExpertBiases{Tensor{Expert, ExpertInner, One, 2},
                                               Tensor{Expert, Hidden}};
inline constexpr std::array kRouter{Tensor{SparseBlock, Hidden, Experts}};
inline constexpr std::array kRouterBias{Tensor{SparseBlock, Experts}};
inline constexpr std::array kSharedExperts{Tensor{SparseBlock, Hidden, SharedInner, 3}};
inline constexpr std::array kSharedGate{Tensor{SparseBlock, Hidden}};

inline constexpr std::array kOneScale{Tensor{Block, Hidden}};
inline constexpr std::array kTwoScales{Tensor{Block, Hidden, One, 2}};
inline constexpr std::array kFourScales{Tensor{Block, Hidden, One, 4}};
inline constexpr std::array kOneNorm{Tensor{Block, Hidden, One, 2}};
inline constexpr std::array kTwoNorms{Tensor{Block, Hidden, One, 4}};
inline constexpr std::array kLastScale{Tensor{TensorPart::Head, Hidden}};
inline constexpr std::array kLastNorm{Tensor{TensorPart::Head, Hidden, One, 2}};

/// A product of the first token after the last block.
inline constexpr std::array kPooler{Tensor{TensorPart::Head, Hidden, Hidden},
                                    Tensor{TensorPart::Head, Hidden}};

}  // namespace stepcast::tensors
