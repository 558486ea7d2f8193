#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/workload/transformer/transformer.hpp"
#include "traces/formats/huggingface/model_config.hpp"

// The tensors of a model, as its family lists them, and how many numbers they have.
namespace stepcast {

/// A size of which tensors are made.
enum class TensorSize : std::uint8_t {
  One,
  Hidden,
  Queries,      ///< Query numbers of all heads.
  KeyValues,    ///< Key numbers of all key-value heads; as many values.
  HeadSize,     ///< Numbers of one head.
  Heads,        ///< Query heads.
  KeyHeads,     ///< Key-value heads.
  Inner,        ///< Inner size of an MLP without experts.
  ExpertInner,  ///< Inner size of one expert.
  SharedInner,  ///< Inner size of all shared experts.
  Experts,
  Vocabulary,
  Classes,
  Positions,   ///< Rows of learned positions.
  TokenTypes,  ///< Rows of token types.
  Embedded,    ///< Numbers of a word, where these are not the hidden size.
  Patch,       ///< Numbers of a patch of an image.
  Taps,        ///< Taps of a convolution.
  States,      ///< Numbers of state of a channel, or of all groups of channels.
  StateRank,   ///< Numbers of which time steps are made.
  Buckets,     ///< Distances between tokens, a score of each for every head (T5).
  Count,
};

using TensorSizes = std::array<std::uint64_t, static_cast<std::size_t>(TensorSize::Count)>;

/// Where a tensor lies.
enum class TensorPart : std::uint8_t {
  Embedding,    ///< Before the first block.
  Block,        ///< In every block.
  DenseBlock,   ///< In every block without experts.
  SparseBlock,  ///< In every block with experts, once.
  Expert,       ///< In every expert.
  Head,         ///< After the last block.
};

/// `count` tensors of rows x columns.
struct Tensor {
  TensorPart part = TensorPart::Block;
  TensorSize rows = TensorSize::One;
  TensorSize columns = TensorSize::One;
  std::uint32_t count = 1;
};

/// Numbers of a model's tensors, by part.
struct CountedParts {
  std::uint64_t embedding = 0;
  std::uint64_t dense_block = 0;
  std::uint64_t sparse_block = 0;
  std::uint64_t expert = 0;
  std::uint64_t head = 0;

  void add(std::span<const Tensor> tensors, const TensorSizes& sizes);
};

/// Fills in the sizes that follow from a shape, but for those that are set already.
void fill_sizes(TensorSizes& sizes, const Transformer& shape);

/// Writes into the shape what was counted, where its sizes alone give another number.
void set_counted(Transformer& shape, const CountedParts& counted);

/// The keys of one config.json, as counts and words. Families name the same size by other keys:
/// where names are several, the first that the file has counts. Every error is an InputError
/// "config.json: /hidden_size: ...".
class ConfigKeys {
 public:
  using Names = std::initializer_list<const char*>;

  /// `json` must outlive the keys; `pointer` is where it lies in the file ("" for the root).
  ConfigKeys(const nlohmann::json& json, std::string origin, std::string pointer = "");

  bool has(const char* key) const;
  /// Whether one of the keys is there and is not null.
  bool has(Names names) const { return find(names) != nullptr; }
  /// A whole number. Lists of one number repeated ([2, 2, 2], a value for each layer) count as that
  /// number. Throws where no key is there.
  std::uint32_t count(Names names, std::uint32_t least = 1) const;
  std::uint32_t count_or(Names names, std::uint32_t fallback, std::uint32_t least = 1) const;
  /// A whole number that may be below zero, as an index that counts from the end.
  std::int64_t index_or(const char* key, std::int64_t fallback) const;
  /// Entries of an object or a list; 0: there is none.
  std::size_t entries(const char* key) const;
  bool flag_or(const char* key, bool fallback) const;
  bool is_text(const char* key) const;
  std::string text_or(const char* key, std::string fallback) const;
  /// The first word of a list of words; empty: there is none.
  std::string first_text(const char* key) const;
  /// The object under a key, empty where there is none.
  ConfigKeys object(const char* key) const;
  /// A size that a key multiplies. Throws, naming the key, where it is larger than a size can be.
  std::uint32_t product(const char* key, std::uint64_t left, std::uint64_t right) const;
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;

 private:
  const char* find(Names names) const;

  const nlohmann::json& json_;
  std::string origin_;
  std::string pointer_;
};

/// Tensors that a family has, always or where its file says so.
struct FamilyTensors {
  std::string name;         ///< Name for tensors_called().
  std::string key{};        ///< The flag that adds them; empty: none does.
  bool leaves_out = false;  ///< It is the flag that leaves them out.
  bool usual = true;        ///< Whether they are there where the file lacks the key.
  std::string task{};       ///< The only task that has them, such as "ForMaskedLM"; empty: all do.
};

/// A model while its file is read.
struct ModelDraft {
  ConfiguredModel& model;
  Transformer& shape;
  TensorSizes sizes{};              ///< Those that the shape does not tell; else 0.
  std::vector<std::string> more{};  ///< Names of tensors of an unusual form of the family.
  TensorSizes encoder_sizes{};      ///< Those of an encoder, and its unusual tensors.
  std::vector<std::string> encoder_more{};

  std::uint64_t& size(TensorSize size) { return sizes.at(static_cast<std::size_t>(size)); }
};

/// Reads what the files of a family say in an unusual way.
using ReadQuirk = void (*)(const ConfigKeys& keys, ModelDraft& draft);

/// One row of configs/model_families.json: the tensors of a family, and how its file differs from
/// the usual one. Defaults of keys are those of the family's configuration class in transformers.
/// The tensors are those of its modelling code.
struct ModelFamily {
  std::string type{};                    ///< "model_type" of its files.
  std::vector<FamilyTensors> tensors{};  ///< Without the head's matrix, which `tied` tells; none:
                                         ///< what the shape gives.
  std::vector<FamilyTensors> encoder{};  ///< Tensors of an encoder before the decoder, of which
                                         ///< the others then are.
  bool gated = true;                     ///< Three matrices in an MLP.
  bool tied = false;                     ///< Where the file does not say.
  bool causal = true;
  bool experts = false;            ///< Several MLPs in a block.
  bool heads = true;               ///< Blocks with attention.
  bool learned_positions = false;  ///< A vector for each position.
  std::uint32_t head_dim = 0;      ///< Where the file does not say; 0: hidden / heads.
  std::uint32_t seq = 2048;        ///< Longest sequence, where the file does not say.
  std::uint32_t inner = 0;         ///< Inner size over the hidden one, where the file does not
                                   ///< say; 0: it has to.
  std::string task{};              ///< What follows the model's name in "architectures" where the
                                   ///< file does not say; empty: only one is known.
  ReadQuirk adjust = nullptr;
};

/// All of configs/model_families.json.
struct FamilyTable {
  std::map<std::string, std::vector<Tensor>> tensors;
  std::vector<ModelFamily> families;
};

/// Parses the table. Throws InputError naming `origin`, the field and what would be right.
FamilyTable parse_model_families(std::string_view text, const std::string& origin);

/// Returns all families of StepCast's data. Throws InputError for faulty data.
const std::vector<ModelFamily>& model_families();
/// Returns the tensors of a name in the same data. Throws InputError if it lacks them.
const std::vector<Tensor>& tensors_called(const std::string& name);

/// A quirk and the name that a family's row has for it ("adjust").
struct Quirk {
  const char* name;
  ReadQuirk read;
};

/// Decoders have the first quirks; encoders, with or without a decoder, the others.
std::span<const Quirk> decoder_quirks();
std::span<const Quirk> encoder_quirks();

/// Reads the experts of a model: their number, size, those for all tokens, first blocks without.
/// Throws InputError where blocks with and without experts come in another order.
void read_experts(const ConfigKeys& keys, ModelDraft& draft);

}  // namespace stepcast
