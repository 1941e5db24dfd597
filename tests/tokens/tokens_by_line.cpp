// A tokenizer for tokens_test.py. Lines `e HEX` are texts: the ids with the tokens around, `;`, and those without. Lines `d ID,ID` are ids: the text of all of
// them, `;`, and the texts of a stream put together, both as hexadecimal digits.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "tcp/tokens/tokenizer.hpp"

namespace {

using tcp::tokens::Ids;

std::string from_hex(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) out += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return out;
}
std::string to_hex(const std::string& text) {
  std::string out;
  for (char c : text) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += digits;
  }
  return out;
}
std::string with_commas(const Ids& ids) {
  std::string out;
  for (std::int64_t id : ids) out += (out.empty() ? "" : ",") + std::to_string(id);
  return out;
}
template <class What>
const What& value_or_stop(const tcp::Expected<What>& expected) {
  if (!expected) {
    std::cerr << expected.refusal().sentence().view() << '\n';
    std::exit(1);
  }
  return *expected;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  auto const opened = tcp::tokens::Tokenizer::open(arguments[1]);
  const tcp::tokens::Tokenizer& tokenizer = value_or_stop(opened);
  for (std::string line; std::getline(std::cin, line);) {
    std::string const what = line.substr(2);
    if (line[0] == 'e') {
      auto const all = tokenizer.encode(from_hex(what)), plain = tokenizer.encode(from_hex(what), tcp::tokens::Specials::left_out);
      std::cout << with_commas(value_or_stop(all)) << ';' << with_commas(value_or_stop(plain)) << '\n';
      continue;
    }
    Ids ids;
    std::istringstream numbers(what);
    for (std::string one; std::getline(numbers, one, ',');) ids.push_back(std::stoll(one));
    tcp::tokens::DecodedStream stream(tokenizer);
    std::string streamed;
    for (std::int64_t id : ids) streamed += stream.add(id);
    streamed += stream.finish();
    std::cout << to_hex(tokenizer.decode(ids)) << ';' << to_hex(streamed) << '\n';
  }
}
