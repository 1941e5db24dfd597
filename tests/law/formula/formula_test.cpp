// Laws of formulas: a formula that was drawn at random is read back from its text as it was; a product is what loops of the host make of it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tcp/formula/evaluate.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/scalar/arithmetic.hpp"

namespace {

using namespace tcp;
using namespace tcp::formula;

int pick(int below) { return *rc::gen::inRange(0, below); }

/// An expression over the axes in scope; every tensor has one index for each axis in scope, so that none is unused.
Expression drawn(Formula& f, std::vector<int> scope, int depth) {
  Expression e;
  switch (depth == 0 ? 0 : pick(6)) {
    case 0: {
      e.operation = Operation::read;
      FormulaTensor t;
      t.name = "t" + std::to_string(f.tensors.size());
      t.type = pick(2) == 0 ? ScalarType::bf16 : ScalarType::f32;
      t.stored =
          pick(3) == 0 ? StoredAs{StoredAs::Kind::blocks, 256} : StoredAs{pick(2) == 0 ? StoredAs::Kind::any : StoredAs::Kind::rows, 0};
      for (int a : scope) {
        AffineIndex x{{{a, 1 + pick(3)}}, pick(5) - 2};
        if (pick(4) == 0 && a != scope[0]) x.parts.push_back({scope[0], -1 - pick(2)});
        e.index.push_back(x);
        t.extent.push_back(pick(2) * 7);
      }
      e.tensor = static_cast<int>(f.tensors.size());
      f.tensors.push_back(t);
      return e;
    }
    case 1: {
      e.operation = pick(2) == 0 ? Operation::sum : Operation::max_over;
      int const a = static_cast<int>(f.axes.size());
      if (a > 10) return drawn(f, scope, 0);
      f.axes.push_back({"a" + std::to_string(a), pick(4)});
      e.over = {a};
      scope.push_back(a);
      e.of.push_back(drawn(f, scope, depth - 1));
      return e;
    }
    case 2: {
      constexpr Operation ones[] = {Operation::negate, Operation::relu, Operation::gelu, Operation::exp, Operation::cos};
      e.operation = ones[pick(5)];
      e.of.push_back(drawn(f, scope, depth - 1));
      return e;
    }
    case 3: {
      // A number beside something that is read.
      e.operation = Operation::mul;
      Expression n;
      n.number = (pick(2000) - 1000) / 64.0;
      bool const first = pick(2) == 0;
      if (first) e.of.push_back(n);
      e.of.push_back(drawn(f, scope, depth - 1));
      if (!first) e.of.push_back(n);
      return e;
    }
    default: {
      constexpr Operation twos[] = {Operation::add, Operation::sub, Operation::mul, Operation::div, Operation::min, Operation::max};
      e.operation = twos[pick(6)];
      e.of.push_back(drawn(f, scope, depth - 1));
      e.of.push_back(drawn(f, scope, depth - 1));
      return e;
    }
  }
}

RC_GTEST_PROP(Formulas, AreReadBackAsTheyWerePrinted, ()) {
  Formula f;
  f.axes = {{"m", pick(9)}, {"n", pick(9)}};
  f.tensors.push_back({"C", pick(2) == 0 ? ScalarType::bf16 : ScalarType::f32, {}, {0, 0}, 0, {}});
  Statement s{0, {0, 1}, {}};
  f.statements.push_back(s);
  f.statements[0].value = drawn(f, {0, 1}, 4);
  RC_ASSERT(check(f).ok());
  std::string const text = print(f);
  auto const again = parse(text);
  RC_LOG() << text << (again.ok() ? "" : again.refusal().sentence().s) << "\n";
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == f);
  RC_ASSERT(print(*again) == text);
}

RC_GTEST_PROP(Formulas, AreWhatLoopsOfTheHostMake, ()) {
  std::int64_t const m = 1 + pick(5), n = 1 + pick(5), k = 1 + pick(70), packet = std::int64_t{1} << pick(6), part = 1 + pick(80);
  auto const f = with_sizes(*parse("C: f32[m,n] = relu(sum[k] A[m,k] * B[n,k] + bias: f32[n])"), {{"m", m}, {"n", n}, {"k", k}});
  auto const draw = [](ScalarType type, std::vector<std::int64_t> extent) {
    std::int64_t count = 1;
    for (auto e : extent) count *= e;
    Elements all{type, std::move(extent), {}};
    for (std::int64_t i = 0; i < count; ++i) {
      float const v = static_cast<float>(pick(2001) - 1000) / 256.0f;
      all.bits.push_back(type == ScalarType::f32 ? f32::from_float(v).bits : bf16::from_float(v).bits);
    }
    return all;
  };
  Elements const a = draw(ScalarType::bf16, {m, k}), b = draw(ScalarType::bf16, {n, k}), bias = draw(ScalarType::f32, {n});
  auto const c = evaluate(*f, {a, b, bias}, {packet, {part}});
  RC_ASSERT(c.ok());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float total = 0;
      for (std::int64_t first = 0; first < k;) {
        std::int64_t const end = first == 0 && part < k ? part : k;
        float sum = 0;
        for (std::int64_t p = first; p < end; p += packet) {
          std::vector<float> leaf(static_cast<std::size_t>(packet), 0.0f);
          for (std::int64_t l = p; l < end && l < p + packet; ++l)
            leaf[static_cast<std::size_t>(l - p)] = bf16::from_bits(a.bits[static_cast<std::size_t>(i * k + l)]).to_float() *
                                                    bf16::from_bits(b.bits[static_cast<std::size_t>(j * k + l)]).to_float();
          while (leaf.size() > 1) {
            std::vector<float> up;
            for (std::size_t x = 0; x < leaf.size(); x += 2) up.push_back(leaf[x] + leaf[x + 1]);
            leaf = up;
          }
          sum += leaf[0];
        }
        total += sum;
        first = end;
      }
      float const want = std::max(total + f32::from_bits(bias.bits[static_cast<std::size_t>(j)]).to_float(), 0.0f);
      RC_ASSERT(f32::from_bits(c->bits[static_cast<std::size_t>(i * n + j)]).to_float() == want);
    }
}

}  // namespace
