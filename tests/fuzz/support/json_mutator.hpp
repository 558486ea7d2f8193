#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepcast::fuzz {

/// The JSON text with one thing changed: a number made extreme, a text cut or made strange, an
/// entry dropped, doubled, nested deeper or put in another's place. What comes out is JSON again,
/// so that a fuzzer gets past the parser to what reads the document. A text that is no JSON comes
/// back as it is. The same for the same seed.
std::string mutated_json(std::string_view text, std::uint32_t seed);

}  // namespace stepcast::fuzz
