// What the parser makes of items, types and expressions, and what it says of text that is none.
#include "rust/parser.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace tcp::rust {
namespace {

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

}  // namespace
}  // namespace tcp::rust
