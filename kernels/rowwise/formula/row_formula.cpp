// Records the passes of a row formula for each step of rows.
#include "kernels/rowwise/formula/row_formula.hpp"

#include <map>
#include <utility>

#include "kernels/parts/counts.hpp"
#include "kernels/rowwise/elementwise.hpp"
#include "kernels/rowwise/formula/row_program.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

using formula::Operation;
using Kind = RowNodeKind;
using From = RowProgram::From;

/// The passes of one step. Tensors are made before the stream that needs them begins.
class RowPasses {
 public:
  RowPasses(Context& ctx, const RowProgram& program, const RowStep& all, const std::map<int, dyn::Tensor>& matrices,
            const std::map<int, dyn::Tensor>& vectors, std::map<int, dyn::Tensor>& columns)
      : ctx_(ctx),
        p_(program),
        all_(all),
        matrices_(matrices),
        vectors_(vectors),
        columns_(columns),
        uses_(program.uses()),
        to_reduce_(uses_.reductions) {}

  dyn::Tensor result() {
    prepare(p_.result, false);
    return all_.finish(wide(open(p_.result, false), p_.result));
  }

 private:
  struct Open {
    dyn::Stream stream;
    unsigned used;
  };

  /// A node's numbers in DM: matrices in f32 but for those that were loaded.
  const dyn::Tensor& tensor(int n) {
    const RowNode& e = p_.node(n);
    if (e.operation == Operation::read) return matrices_.at(e.tensor);
    if (auto const found = tensors_.find(n); found != tensors_.end()) return found->second;
    bool const reduces = e.reduces();
    int const of = reduces ? e.a : n;
    prepare(of, reduces);
    Open opened = open(of, reduces);
    dyn::Tensor made;
    if (reduces) made = all_.reduce(std::move(opened.stream), e.operation == Operation::sum ? ReduceOp::Add : ReduceOp::Max);
    else if (e.kind == Kind::matrix) made = all_.finish(wide(std::move(opened), n), ScalarType::f32);
    else made = wide(std::move(opened), n).vector_final().commit(dyn::map(all_.mine(), eight()));
    // Numbers of columns are loaded while the first rows are reduced, which were waited for.
    if (reduces && --to_reduce_ == 0)
      for (int c : uses_.columns) (void)operand(c);
    return tensors_[n] = made;
  }
  /// A matrix in f32.
  const dyn::Tensor& as_f32(int n) {
    if (p_.node(n).operation != Operation::read) return tensor(n);
    auto const found = tensors_.find(n);
    return found != tensors_.end() ? found->second : tensors_[n] = all_.as_f32(ctx_, tensor(n));
  }
  bool zips_as_stored(int n) const {
    return p_.node(p_.node(n).a).operation == Operation::read && p_.node(p_.node(n).b).operation == Operation::read;
  }
  dyn::Operand operand(int n) {
    const RowNode& e = p_.node(n);
    if (e.kind == Kind::number) return e.number;
    auto& kept = e.kind == Kind::column ? columns_ : numbers_;
    auto const found = kept.find(n);
    if (found != kept.end()) return found->second;
    return kept[n] = e.kind == Kind::column ? all_.keep_columns(ctx_, vectors_.at(e.tensor)) : all_.keep_numbers(ctx_, tensor(n));
  }

  /// Everything that a pass up to a node needs.
  void prepare(int n, bool reducing) {
    RowProgram::Way const way = p_.way(n, reducing);
    if (way.from == From::own_tensor) return (void)tensor(n);
    if (p_.zips(n)) {
      // The sub context makes f32 of what was loaded, while main makes the other one.
      for (bool loaded : {true, false})
        for (int m : {p_.node(n).a, p_.node(n).b})
          if ((p_.node(m).operation == Operation::read) == loaded) zips_as_stored(n) ? (void)tensor(m) : (void)as_f32(m);
      return;
    }
    if (way.from == From::argument_tensor) (void)tensor(p_.streamed(n));
    else prepare(p_.streamed(n), reducing);
    for (int m : {p_.other(n), p_.added(n)})
      if (m >= 0 && m != p_.streamed(n)) (void)operand(m);
  }
  Open begun(int n, bool reducing) {
    const dyn::Tensor& from = tensor(n);
    if (p_.node(n).kind == Kind::row) return {all_.begin_numbers(ctx_, from), 0};
    return {reducing ? all_.begin_reduce(ctx_, from) : all_.begin(ctx_, from), 0};
  }
  Open open(int n, bool reducing) {
    RowProgram::Way const way = p_.way(n, reducing);
    if (way.from == From::own_tensor) return begun(n, reducing);
    if (p_.zips(n)) return zipped(n, way.used);
    Open before = way.from == From::argument_tensor ? begun(p_.streamed(n), reducing) : open(p_.streamed(n), reducing);
    unsigned const alus = *p_.alus(n, before.used, reducing);
    return {with(n, std::move(before), alus), way.used};
  }
  Open zipped(int n, unsigned used) {
    const RowNode& e = p_.node(n);
    bool const stored = zips_as_stored(n);
    auto stream = all_.begin_both(ctx_, stored ? tensor(e.a) : as_f32(e.a), stored ? tensor(e.b) : as_f32(e.b));
    FpBinaryOp const op = e.operation == Operation::add   ? FpBinaryOp(FpBinaryOp::AddF)
                          : e.operation == Operation::sub ? FpBinaryOp(FpBinaryOp::SubF)
                          : e.operation == Operation::div ? FpBinaryOp(FpBinaryOp::DivF)
                                                          : FpBinaryOp(FpBinaryOp::MulF(FpMulAlu::Mul0));
    return {std::move(stream).vector_fp_zip(op), used};
  }

  dyn::Stream with(int n, Open before, unsigned alus) {
    const RowNode& e = p_.node(n);
    if ((alus & row_alu::clips) != 0) {
      bool const first = (before.used & row_alu::clips) == 0;
      dyn::Stream stream = first ? widened(std::move(before.stream), n) : std::move(before.stream);
      ClipBinaryOpF32 const op = alus == row_alu::clip_add   ? ClipBinaryOpF32(ClipBinaryOpF32::Add)
                                 : alus == row_alu::clip_min ? ClipBinaryOpF32(ClipBinaryOpF32::Min)
                                                             : ClipBinaryOpF32(ClipBinaryOpF32::Max);
      return std::move(stream).vector_clip(op, operand(p_.other(n)));
    }
    dyn::Stream stream = std::move(before.stream);
    auto const function = [&](FpUnaryOp op) { return std::move(stream).vector_fp_unary(op); };
    switch (e.operation) {
      case Operation::add: return two(n, std::move(stream), FpBinaryOp::AddF);
      case Operation::sub: return two(n, std::move(stream), FpBinaryOp::SubF);
      case Operation::mul:
        return alus == row_alu::mul0 ? two(n, std::move(stream), FpBinaryOp::MulF(FpMulAlu::Mul0))
                                     : two(n, std::move(stream), FpBinaryOp::MulF(FpMulAlu::Mul1));
      case Operation::div:
        if (e.a == e.b) return std::move(stream).vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode00, Operand{});
        if (p_.streamed(n) != e.a)
          return std::move(stream).vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, operand(p_.other(n)));
        return std::move(stream).vector_fp_div(FpDivBinaryOp::DivF, operand(p_.other(n)));
      case Operation::fma: return std::move(stream).vector_fp_ternary(FpTernaryOp::FmaF, operand(p_.other(n)), operand(p_.added(n)));
      case Operation::gelu: return activated(std::move(stream), ActivationFunction::gelu);
      case Operation::silu: return activated(std::move(stream), ActivationFunction::silu);
      case Operation::exp: return function(FpUnaryOp::Exp);
      case Operation::sqrt: return function(FpUnaryOp::Sqrt);
      case Operation::tanh: return function(FpUnaryOp::Tanh);
      case Operation::sigmoid: return function(FpUnaryOp::Sigmoid);
      case Operation::erf: return function(FpUnaryOp::Erf);
      case Operation::log: return function(FpUnaryOp::Log);
      case Operation::sin: return function(FpUnaryOp::Sin);
      case Operation::cos: return function(FpUnaryOp::Cos);
      default: TCP_BUG_UNLESS(false, "a node that no pass has");
    }
  }
  using Operand = dyn::Operand;
  dyn::Stream two(int n, dyn::Stream stream, FpBinaryOp op) {
    const RowNode& e = p_.node(n);
    if (e.a == e.b) return std::move(stream).vector_fp_binary_with_mode(op, BinaryArgMode::Mode00);
    if (p_.streamed(n) != e.a) return std::move(stream).vector_fp_binary_with_mode(op, BinaryArgMode::Mode10, operand(p_.other(n)));
    return std::move(stream).vector_fp_binary(op, operand(p_.other(n)));
  }

  static Mapping eight() { return dyn::one.pad(vector_lanes); }
  /// To eight lanes, where limits are.
  dyn::Stream widened(dyn::Stream stream, int n) const {
    return p_.node(n).kind == Kind::matrix ? all_.widen(std::move(stream)) : std::move(stream).vector_pad_way8(eight());
  }
  dyn::Stream wide(Open opened, int n) const {
    return (opened.used & row_alu::clips) != 0 ? std::move(opened.stream) : widened(std::move(opened.stream), n);
  }

  Context& ctx_;
  const RowProgram& p_;
  const RowStep& all_;
  const std::map<int, dyn::Tensor>&matrices_, &vectors_;  // by the formula's numbers
  std::map<int, dyn::Tensor>& columns_;                   // in VRF, for all steps
  RowProgram::Uses uses_;
  int to_reduce_;
  std::map<int, dyn::Tensor> tensors_{}, numbers_{};
};

}  // namespace

namespace {

formula::Formula sized(const Device& device, std::string_view text, std::int64_t rows, std::int64_t columns, Where at) {
  (void)value_or_throw(spread_rows(device, rows, columns, {}, at));
  formula::Formula f = value_or_throw(formula::parse(text, at));
  std::vector<formula::NamedAxis> sizes;
  for (const formula::NamedAxis& a : f.axes) sizes.push_back({a.name, a.name == "m" ? rows : columns});
  return value_or_throw(formula::with_sizes(std::move(f), sizes));
}

}  // namespace

RowFormula::RowFormula(const Device& device, std::string_view text, std::int64_t rows, std::int64_t columns, Where at)
    : RowFormula(device, sized(device, text, rows, columns, at), at) {}
RowFormula::RowFormula(const Device& device, const formula::Formula& formula, Where at)
    : RowFormula(device, std::make_shared<const RowProgram>(value_or_throw(row_program(formula, at))), at) {}
RowFormula::RowFormula(const Device& device, std::shared_ptr<const RowProgram> program, Where at)
    : RowKernel(device, program->rows, program->columns, program->uses().needs, at), program_(std::move(program)) {}

const formula::Formula& RowFormula::formula() const { return program_->formula; }
std::int64_t RowFormula::passes() const { return program_->uses().needs.passes; }
Mapping RowFormula::layout_of(int tensor) const {
  return formula().tensors[static_cast<std::size_t>(tensor)].extent.size() == 2 ? layout() : column_layout();
}
formula::SumOrder RowFormula::order() const {
  formula::SumOrder order;
  order.packet = std::min(spread().packet(), narrow_vector_lanes);
  for (std::int64_t at = spread().share; spread().across > 1 && at < spread().columns; at += spread().share)
    order.parts.push_back(spread().share);
  return order;
}
Work RowFormula::work() const { return work_on_rows(spread(), program_->uses().needs.matrices); }

dyn::Tensor RowFormula::operator()(Context& ctx, const std::vector<dyn::Tensor>& inputs) const {
  std::vector<int> const numbers = this->inputs();
  std::vector<int> of_matrix;
  std::vector<dyn::Tensor> matrices;
  std::map<int, dyn::Tensor> vectors, columns;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (formula().tensors[static_cast<std::size_t>(numbers[i])].extent.size() == 1) {
      vectors.emplace(numbers[i], inputs.at(i));
      continue;
    }
    of_matrix.push_back(numbers[i]);
    matrices.push_back(inputs.at(i));
  }
  RowStep const all = step();
  return for_each_step(ctx, all, matrices, [&](const std::vector<dyn::Tensor>& rows) {
    std::map<int, dyn::Tensor> loaded;
    for (std::size_t i = 0; i < rows.size(); ++i) loaded.emplace(of_matrix[i], rows[i]);
    return RowPasses(ctx, *program_, all, loaded, vectors, columns).result();
  });
}

}  // namespace tcp::kernels
