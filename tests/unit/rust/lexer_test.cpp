// From characters to tokens, and where each stands.
#include <gtest/gtest.h>

#include "rust/token.hpp"

namespace tcp::rust {
namespace {

std::vector<std::string> words(const std::string& text) {
  SourceFile const source("a.rs", text);
  std::vector<std::string> all;
  for (const Token& t : lex(source)) all.emplace_back(t.text);
  all.pop_back();  // the end
  return all;
}
std::string refused(const std::string& text) {
  SourceFile const source("a.rs", text);
  try {
    lex(source);
  } catch (const Mistake& m) {
    return std::string(m.refusal.headline.view()) + " at " + std::to_string(m.refusal.at.line) + ":" + std::to_string(m.refusal.at.column);
  }
  return "accepted";
}

using Words = std::vector<std::string>;

TEST(Lexer, WordsNumbersAndPunctuationComeOneByOne) {
  EXPECT_EQ(words("let x_1: m![A / 8] = 0x1f_u32;"), (Words{"let", "x_1", ":", "m", "!", "[", "A", "/", "8", "]", "=", "0x1f_u32", ";"}));
}
TEST(Lexer, NumbersEndBeforeRangesAndMethods) {
  EXPECT_EQ(words("0..8 1.5e-3f32 2.max(1) 1. 3.0.0"),
            (Words{"0", ".", ".", "8", "1.5e-3f32", "2", ".", "max", "(", "1", ")", "1.", "3.0", ".", "0"}));
}
TEST(Lexer, CommentsNestAndAreDropped) { EXPECT_EQ(words("a /* b /* c */ d */ e // f\ng"), (Words{"a", "e", "g"})); }
TEST(Lexer, StringsCharactersAndLifetimesAreToldApart) {
  EXPECT_EQ(words(R"x(b"\"" r#"a"b"# 'a' '\'' '\u{1F600}' 'static 'l, b'x')x"),
            (Words{R"(b"\"")", R"x(r#"a"b"#)x", "'a'", R"('\'')", "'\\u{1F600}'", "'static", "'l", ",", "b'x'"}));
}
TEST(Lexer, RawWordsLoseTheirMark) { EXPECT_EQ(words("r#type"), (Words{"type"})); }
TEST(Lexer, AByteOrderMarkAndAShebangArePassedOver) {
  EXPECT_EQ(words("\xef\xbb\xbf#!/usr/bin/env x\na"), (Words{"a"}));
  EXPECT_EQ(words("#![feature(x)]").size(), 8u);
}
TEST(Lexer, PlacesCountCharactersAndNotBytes) {
  SourceFile const source("a.rs", "// one\n\"\xc3\xa4\" x");
  Tokens const tokens = lex(source);
  EXPECT_EQ(where(tokens[1].span).line, 2u);
  EXPECT_EQ(where(tokens[1].span).column, 5u);
}
TEST(Lexer, JointPunctuationIsOneOperator) {
  SourceFile const source("a.rs", "> > >>");
  Tokens const tokens = lex(source);
  EXPECT_FALSE(tokens[0].joint);
  EXPECT_TRUE(tokens[2].joint);
}
TEST(Lexer, WhatDoesNotEndIsRefusedWhereItBegins) {
  EXPECT_EQ(refused("a\n /* b"), "a comment that begins here does not end at 2:2");
  EXPECT_EQ(refused("\"abc"), "a string that begins here does not end at 1:1");
  EXPECT_EQ(refused("'"), "a character that begins here does not end at 1:1");
  EXPECT_EQ(refused("r##\"a\"#"), "a string that begins here does not end at 1:1");
}
TEST(Lexer, CharactersThatRustLacksAreRefused) { EXPECT_EQ(refused("a ` b"), "a character that Rust does not have here: ` at 1:3"); }

}  // namespace
}  // namespace tcp::rust
