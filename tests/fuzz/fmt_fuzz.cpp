// Any module is formatted into a text that means the same, with every comment of its source, and that stays as it is when it is formatted again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt.hpp"
#include "inputs.hpp"
#include "tcp/ir/text.hpp"

namespace {

using tcp::fuzz::must;

/// Comments begin at two slashes that no quoted name holds, and end with their line.
void must_have_comments_of(std::string_view source, std::string_view formatted) {
  bool quoted = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\n') quoted = false;
    else if (quoted && source[i] == '\\') ++i;
    else if (source[i] == '"') quoted = !quoted;
    if (quoted || source.substr(i, 2) != "//") continue;
    std::size_t const end = std::min(source.find('\n', i), source.size());
    std::string_view comment = source.substr(i, end - i);
    comment = comment.substr(0, comment.find_last_not_of(" \t\r") + 1);
    must(formatted.find(comment) != formatted.npos);
    i = end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view const source(reinterpret_cast<const char*>(data), size);
  auto const module = tcp::ir::parse(source, "fuzz.tcp");
  if (!module) return 0;
  std::string const once = tcp::tool::formatted(*module, source, "fuzz.tcp");
  must_have_comments_of(source, once);
  auto const again = tcp::ir::parse(once, "fuzz.tcp");
  must(again && tcp::ir::same_program(*again, *module));
  must(tcp::tool::formatted(*again, once, "fuzz.tcp") == once);
  return 0;
}
