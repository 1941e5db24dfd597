// Macros: which rule is taken, what it writes, and that its words are its own.
#include "rust/macros.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"
#include "rust/parser.hpp"

namespace tcp::rust {
namespace {

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
