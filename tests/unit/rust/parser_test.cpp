// Rust as text: tokens, trees, macros.
#include <gtest/gtest.h>

#include <deque>

#include "reading.hpp"
#include "rust/macros.hpp"
#include "rust/parser.hpp"
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

// What the parser makes of items, types and expressions, and what it says of text that is none.

namespace parser {

/// Keeps the text that a test reads.
struct Read {
  Arena arena;
  SourceFile source;
  const Tokens* tokens;

  explicit Read(const std::string& text) : source("a.rs", text), tokens(&arena.keep(lex(source))) {}
  Parser parser() { return Parser(arena, range_of(*tokens)); }
};

std::string refused(const std::string& text) {
  Read read(text);
  try {
    read.parser().items_to_end();
  } catch (const Mistake& m) {
    return std::string(m.refusal.headline.view());
  }
  return "accepted";
}

/// The shape of an expression, with brackets around what belongs together.
std::string shape(const Expr* e) {
  if (e == nullptr) return "";
  switch (e->kind) {
    case Expr::Kind::literal: return std::string(e->literal.text);
    case Expr::Kind::path: return std::string(e->path.last().name);
    case Expr::Kind::binary: return "(" + shape(e->left) + std::string(e->name) + shape(e->right) + ")";
    case Expr::Kind::negate: return "-" + shape(e->left);
    case Expr::Kind::reference: return std::string(e->is_mut ? "&mut " : "&") + shape(e->left);
    case Expr::Kind::method:
      return shape(e->left) + "." + std::string(e->name) + "/" + std::to_string(e->type_arguments.size()) + "/" +
             std::to_string(e->items.size());
    case Expr::Kind::field: return shape(e->left) + "." + std::string(e->name);
    case Expr::Kind::cast: return "(" + shape(e->left) + " as)";
    case Expr::Kind::range: return shape(e->left) + ".." + (e->inclusive ? "=" : "") + shape(e->right);
    case Expr::Kind::call: return shape(e->left) + "()";
    case Expr::Kind::structure: return std::string(e->path.last().name) + "{" + std::to_string(e->fields.size()) + "}";
    case Expr::Kind::branch: return "if " + shape(e->left);
    case Expr::Kind::closure: return "closure";
    default: return "?";
  }
}
std::string shape(const std::string& text) {
  Read read(text);
  return shape(read.parser().expression_to_end());
}

TEST(Parser, OperatorsBindAsInRust) {
  EXPECT_EQ(shape("1 + 2 * 3 - 4"), "((1+(2*3))-4)");
  EXPECT_EQ(shape("a << 2 | b & 3 == c"), "(((a<<2)|(b&3))==c)");
  EXPECT_EQ(shape("-a as usize * 2"), "((-a as)*2)");
  EXPECT_EQ(shape("a || b && c"), "(a||(b&&c))");
  EXPECT_EQ(shape("0..n + 1"), "0..(n+1)");
  EXPECT_EQ(shape("0..=n"), "0..=n");
  EXPECT_EQ(shape("&mut ctx.tdma"), "&mut ctx.tdma");
}
TEST(Parser, MethodsHaveTypeArguments) {
  EXPECT_EQ(shape("x.fetch::<m![1], m![A % 8]>().tile::<A, 4, _>(i).0.1"), "x.fetch/2/0.tile/3/1.0.1");
}
TEST(Parser, ABraceAfterAConditionIsItsBody) {
  EXPECT_EQ(shape("if a == B { 1 } else { 2 }"), "if (a==B)");
  EXPECT_EQ(shape("Config { a: 1, b, ..c }"), "Config{2}");
}
TEST(Parser, HostCodeIsPassedOver) {
  EXPECT_EQ(refused("fn main() { let f = |x: &str| async move { x.await? }; loop { break 'a; } }"), "accepted");
  EXPECT_EQ(refused("impl<'a, T: Fn(usize) -> bool + 'a> Trait<T> for S<'a> where T: Clone { type X = T; const N: usize = 1; fn f(&'a mut "
                    "self) -> impl Iterator<Item = T>; }"),
            "accepted");
  EXPECT_EQ(
      refused("pub(crate) enum E { A(u8), B { x: u8 } = 3 } union U { a: u8 } extern \"C\" { fn f(); } static mut X: [u8; 2] = [0; 2];"),
      "accepted");
  EXPECT_EQ(refused("fn f() -> ! { what is this } fn g() {}"), "accepted");
}
TEST(Parser, AKernelThatCannotBeReadIsRefused) {
  EXPECT_EQ(refused("#[device(chip = 1)] fn k(x) {}"), "`:` is needed here, and this follows: )");
  EXPECT_EQ(refused("fn f( {"), "the bracket ( is not closed");
  EXPECT_EQ(refused("mod a { fn f() {} ]"), "the bracket { is not closed");
  EXPECT_EQ(refused("]"), "a token is needed here, and this follows: ]");
}
TEST(Parser, NestingIsBounded) {
  std::string const deep(5000, '(');
  Read read(deep + std::string(5000, ')'));
  EXPECT_THROW(read.parser().expression_to_end(), Mistake);
  std::string chain = "a";
  for (int i = 0; i < 5000; ++i) chain += ".b()";
  Read long_one(chain);
  EXPECT_THROW(long_one.parser().expression_to_end(), Mistake);
}
TEST(Parser, UseTreesBecomeLeaves) {
  Read read("use crate::a::{self, b as c, d::*};");
  auto const items = read.parser().items_to_end();
  ASSERT_EQ(items.at(0)->uses.size(), 3u);
  EXPECT_EQ(items[0]->uses[0].name, "a");
  EXPECT_EQ(items[0]->uses[1].name, "c");
  EXPECT_EQ(items[0]->uses[2].name, "");
  EXPECT_EQ(items[0]->uses[2].path.back(), "d");
}

}  // namespace parser

/// What `name!(arguments)` becomes, its tokens with blanks between them.
std::string expanded(const std::string& rules, const std::string& arguments) {
  Arena arena;
  Marks marks;
  SourceFile const rules_source("rules.rs", rules), call_source("call.rs", arguments);
  Parser parser(arena, range_of(arena.keep(lex(rules_source))));
  const Item* const item = parser.item();
  try {
    std::string out;
    for (const Token& t : expand(arena, marks, *item, range_of(arena.keep(lex(call_source))), {&call_source, 0, 1}))
      out += (out.empty() ? "" : " ") + std::string(t.text);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  } catch (const Mistake& m) {
    return "refused: " + std::string(m.refusal.headline.view());
  }
}

TEST(Macros, FragmentsTakeWhatTheParserReads) {
  std::string const rules = "macro_rules! m1 { ($a:ident, $t:ty, $e:expr) => { let $a: $t = $e * 2; }; }";
  EXPECT_EQ(expanded(rules, "x, Vec<u8>, 1 + 2"), "let x : Vec < u8 > = ( 1 + 2 ) * 2 ;");
}
TEST(Macros, RulesAreTriedInTheirOrder) {
  std::string const rules = "macro_rules! m1 { () => { 0 }; (one $x:literal) => { $x }; ($($x:tt)*) => { many } }";
  EXPECT_EQ(expanded(rules, ""), "0");
  EXPECT_EQ(expanded(rules, "one 5"), "5");
  EXPECT_EQ(expanded(rules, "a [ b ] c"), "many");
}
TEST(Macros, RepetitionsNestAndSeparate) {
  std::string const rules = "macro_rules! m1 { ($($n:ident: [$($v:expr),*]);+ $(;)?) => { $( fn $n() { $($v;)* } )+ } }";
  EXPECT_EQ(expanded(rules, "a: [1, 2]; b: [];"), "fn a ( ) { 1 ; 2 ; } fn b ( ) { }");
}
TEST(Macros, ACallOfNoRuleIsRefused) {
  EXPECT_EQ(expanded("macro_rules! m1 { ($x:ident) => { $x } }", "1"), "refused: no rule of the macro `m1!` has this form");
  EXPECT_EQ(expanded("macro_rules! m1 { ($($x:ident),+) => { $x } }", "a"),
            "refused: the rules of this macro cannot be read: a repeated fragment is used outside $( ... )");
}
TEST(Macros, VariablesOfAMacroAreItsOwn) {
  std::string const text = kernel(R"(
    macro_rules! added { ($x:ident) => {{ let n = 5; $x + n }}; }
    let n = 100;
    let sum = added!(n);
    let dm: Dm = x.to_dm(&mut ctx.tdma);
    let y: Dm = )" + adding("sum") +
                                  R"(;
    y.to_hbm(&mut ctx.tdma)
)");
  EXPECT_NE(text_of(text).find("vector_fxp(AddFxp, 105)"), std::string::npos) << text_of(text);
}
TEST(Macros, StatementsOfAMacroStandWhereItIsCalled) {
  std::string const text = kernel(R"(
    macro_rules! load { ($name:ident, $from:ident) => { let $name: Dm = $from.to_dm(&mut ctx.tdma); }; }
    load!(dm, x);
    let y: Dm = )" + adding("1") + R"(;
    y.to_hbm(&mut ctx.tdma)
)");
  EXPECT_NE(text_of(text).find("vector_fxp(AddFxp, 1)"), std::string::npos) << text_of(text);
}
TEST(Macros, OneThatCallsItselfWithoutEndIsRefused) {
  EXPECT_EQ(errors_of(opening + "macro_rules! again { () => { again!(); } }\nagain!();\n"), (std::vector<std::string>{"7:30 rust-macro"}));
  auto const errors = errors_of(kernel("macro_rules! again { () => { again!() } }\nagain!();\nx.to_hbm(&mut ctx.tdma)"));
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors[0].find("rust-too-deep"), std::string::npos) << errors[0];
}

}  // namespace
}  // namespace tcp::rust
