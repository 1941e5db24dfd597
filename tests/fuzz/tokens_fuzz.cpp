// Any bytes are a tokenizer.json or are refused, and any text has ids in it or is refused. What is accepted has a token for every id that it gives, and its text is
// valid UTF-8 whether it comes at once or token by token.
//
// The first line of the input is the file, the rest the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "tcp/tokens/tokenizer.hpp"

namespace {

using namespace tcp::tokens;
using tcp::fuzz::must;

/// Every byte belongs to a character; counted otherwise than in the library.
bool is_utf8(std::string_view text) {
  std::size_t wanted = 0;
  for (char c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (wanted > 0 ? (byte & 0xC0) != 0x80 : (byte & 0xC0) == 0x80) return false;
    if (wanted > 0) --wanted;
    else wanted = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  }
  return wanted == 0;
}

void look_at(const Tokenizer& tokenizer, std::string_view text) {
  for (Specials around : {Specials::kept, Specials::left_out}) {
    auto const ids = tokenizer.encode(text, around);
    if (!ids) {
      tcp::fuzz::check_sentence(ids.refusal());
      continue;
    }
    // A post-processor may add ids that are no tokens; those of the text are.
    for (std::int64_t id : *ids) must(around == Specials::kept || tokenizer.token_of(id).has_value());
    DecodedStream stream(tokenizer, around);
    std::string streamed;
    for (std::int64_t id : *ids) {
      std::string const part = stream.add(id);
      must(is_utf8(part));
      streamed += part;
    }
    streamed += stream.finish();
    must(is_utf8(streamed) && streamed == tokenizer.decode(*ids, around));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view const input(reinterpret_cast<const char*>(data), size);
  std::size_t const end = std::min(input.find('\n'), size);
  auto const tokenizer = Tokenizer::parse(input.substr(0, end), "tokenizer.json");
  if (tokenizer) look_at(*tokenizer, end < size ? input.substr(end + 1) : "");
  else tcp::fuzz::check_sentence(tokenizer.refusal());
  return 0;
}
