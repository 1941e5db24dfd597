// How deep a text may nest before the parser refuses it: far more than people write, and far less than a stack holds.
#pragma once

#include "rust/parser.hpp"

namespace tcp::rust {

class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) {
    constexpr int deepest = 100;
    if (++parser_.depth_ <= deepest) return;
    --parser_.depth_;
    Mistake m = mistake(Wrong::too_deep, parser_.peek().span, "the text nests more than ", deepest, " levels deep here");
    m.refusal.why("the reader keeps a fixed room for what is not finished yet").help("give the inner part a name with let, type or fn");
    throw m;
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Parser& parser_;
};

}  // namespace tcp::rust
