// Finds the product in a formula: one statement, one sum of products of two tensors, and a chain of steps around it.
#include "tcp/mapper/product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mapper/sizes.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/rules/register_files.hpp"
#include "tcp/support/round.hpp"

namespace tcp::mapper {
namespace {

using formula::Expression;
using formula::Operation;

constexpr std::int64_t largest = std::int64_t{1} << 17, most_batches = 1024;

Refusal no_product(const Text& what) {
  return refuse("mapper-formula")
      .what(what)
      .why(
          "the mapper makes kernels of one product, tensor[rows, columns] = steps(sum[axis] A[rows, axis] * B[columns, axis]), of some "
          "with an axis in common, or of one convolution, y[h, w, f] = steps(sum[r, s, c] x[h + r, w + s, c] * W[f, r, s, c])")
      .help("write the product as a formula of its own, and use the kernel library for the rest");
}

bool reduces(const Expression& e) { return e.operation == Operation::sum || e.operation == Operation::max_over; }
int sums_in(const Expression& e) {
  int n = reduces(e) ? 1 : 0;
  for (const Expression& of : e.of) n += sums_in(of);
  return n;
}

class ProductReader {
 public:
  explicit ProductReader(const formula::Formula& f) { p_.formula = f; }

  Expected<Product> read() {
    if (auto v = formula::check_sizes(p_.formula); !v) return v.refusal();
    if (p_.formula.statements.size() != 1) return no_product(text("the formula has ", p_.formula.statements.size(), " statements"));
    const formula::Statement& s = p_.formula.statements[0];
    if (sums_in(s.value) != 1) return no_product(text("the formula has ", sums_in(s.value), " sums and maxima"));
    const Expression* sum = nullptr;
    if (auto v = steps(s.value, sum); !v) return v.refusal();
    p_.maximum = sum->operation == Operation::max_over;
    if (auto v = find_batches(s, *sum); !v) return v.refusal();
    std::size_t const own = s.axes.size() - (p_.batch_axis >= 0 ? 1 : 0);
    if (p_.batch_axis < 0 && (own == 3 || own == 4)) {
      if (auto v = convolution(s, *sum); !v) return v.refusal();
    } else if (own > 2) {
      return no_product(text("the result has ", s.axes.size(), " axes"));
    } else if (auto v = operands(s, *sum); !v) {
      return v.refusal();
    }
    if (auto v = types(); !v) return v.refusal();
    if (auto v = maximum(); !v) return v.refusal();
    if (auto v = check_steps(); !v) return v.refusal();
    return p_;
  }

 private:
  const Expression& at(const Expression& e, std::size_t i) const { return e.of[i]; }
  std::int64_t size_of(int axis) const { return axis < 0 ? 1 : p_.formula.axes[static_cast<std::size_t>(axis)].size; }
  static const char* name_of(const Expression& sum) { return sum.operation == Operation::sum ? "sum" : "maximum"; }
  std::string name_of_axis(int axis) const { return p_.formula.axes[static_cast<std::size_t>(axis)].name; }

  /// Walks down to the sum, and notes what is done with it on the way up.
  Verdict steps(const Expression& e, const Expression*& sum) {
    if (reduces(e)) {
      sum = &e;
      return accept();
    }
    if (e.of.size() == 1) {
      if (auto v = steps(e.of[0], sum); !v) return v;
      EpilogueStep step;
      step.operation = e.operation;
      p_.after.push_back(step);
      return accept();
    }
    if (e.of.size() > 2)
      return refuse("mapper-epilogue")
          .what("the sum is in ", formula::name_of(e.operation), "(...)")
          .why("a step after the sum has at most one other argument")
          .help("write a product and a sum, or make it in a formula of its own");
    bool const first = sums_in(e.of[0]) == 1;
    if (auto v = steps(e.of[first ? 0 : 1], sum); !v) return v;
    const Expression& other = e.of[first ? 1 : 0];
    bool const commutes = e.operation != Operation::sub && e.operation != Operation::div;
    bool const plain =
        other.operation == Operation::number || (other.operation == Operation::read && other.index.size() == 1 && other.index[0].plain());
    if (!plain || (!first && !commutes))
      return refuse("mapper-epilogue")
          .what("the sum meets ", formula::print(p_.formula, other), first ? "" : " from the right of a difference or quotient")
          .why(
              "a step after the sum has one argument, or the sum on the left and a number, or a tensor with one number for each row "
              "or each column, on the right")
          .help("make it in a formula of its own");
    EpilogueStep step;
    step.operation = e.operation;
    if (other.operation == Operation::number) {
      step.number = other.number;
    } else {
      step.tensor = other.tensor;
      axis_of_step_.emplace_back(p_.after.size(), other.index[0].parts[0].axis);
    }
    p_.after.push_back(step);
    return accept();
  }

  /// The axis of the result that both operands have.
  Verdict find_batches(const formula::Statement& s, const Expression& sum) {
    const Expression& body = sum.of[0];
    if (body.operation != Operation::mul || body.of[0].operation != Operation::read || body.of[1].operation != Operation::read)
      return accept();
    auto const has = [](const Expression& read, int axis) {
      return std::any_of(read.index.begin(), read.index.end(),
                         [&](const formula::AffineIndex& x) { return x.plain() && x.parts[0].axis == axis; });
    };
    for (int axis : s.axes) {
      if (!has(body.of[0], axis) || !has(body.of[1], axis)) continue;
      if (p_.batch_axis >= 0)
        return no_product(
            text(formula::print(p_.formula, body), " has two axes of batches, ", name_of_axis(p_.batch_axis), " and ", name_of_axis(axis)));
      p_.batch_axis = axis;
    }
    p_.batches = size_of(p_.batch_axis);
    if (p_.batches > most_batches)
      return refuse("mapper-size")
          .what(p_.batches, " batches")
          .why("each of them may need commands of its own: more than ", most_batches,
               " would make programs that take too long to check and to schedule")
          .help("cut the batches into several kernels");
    return accept();
  }
  /// Whether the batches of a tensor with these axes lie within the steps of its own one.
  bool batches_within(const std::vector<int>& axes, int own) const {
    if (p_.batch_axis < 0 || own < 0) return false;
    auto const at = [&](int axis) { return std::find(axes.begin(), axes.end(), axis); };
    return at(own) < at(p_.batch_axis);
  }

  Verdict operands(const formula::Statement& s, const Expression& sum) {
    const Expression& body = sum.of[0];
    bool const product = body.operation == Operation::mul && body.of[0].operation == Operation::read &&
                         body.of[1].operation == Operation::read && body.of[0].tensor != body.of[1].tensor;
    if (!product || sum.over.size() != 1)
      return no_product(text("the ", name_of(sum), " is over ", sum.over.size(), sum.over.size() == 1 ? " axis, of " : " axes, of ",
                             formula::print(p_.formula, body)));
    p_.summed_axis = sum.over[0];
    for (const Expression& read : body.of)
      for (const formula::AffineIndex& x : read.index)
        if (!x.plain()) return no_product(text(formula::print(p_.formula, read), " is read at an index that is no axis"));
    auto const own_axis = [&](const Expression& read, int& axis) {
      int others = 0;
      bool summed = false;
      for (const formula::AffineIndex& x : read.index) {
        if (x.parts[0].axis == p_.summed_axis) summed = true;
        else if (x.parts[0].axis != p_.batch_axis) {
          axis = x.parts[0].axis;
          ++others;
        }
      }
      return summed && others <= 1 && read.index.size() == static_cast<std::size_t>(others) + (p_.batch_axis < 0 ? 1 : 2);
    };
    int first = -1, second = -1;
    if (!own_axis(body.of[0], first) || !own_axis(body.of[1], second) || (first >= 0 && first == second))
      return no_product(text("in ", formula::print(p_.formula, body), " an operand has axes other than ", name_of_axis(p_.summed_axis),
                             " and one of its own"));
    // The rows of the result are its first axis; a result with one axis has one row, or one column of the operand
    // that has it.
    bool swapped = false;
    std::vector<int> own = s.axes;
    std::erase(own, p_.batch_axis);
    if (own.size() == 2) {
      if ((own[0] != first || own[1] != second) && (own[0] != second || own[1] != first))
        return no_product(text("the result does not have the axes of its operands, one each"));
      swapped = own[0] == second;
    } else if (own.size() == 1) {
      // As one row: its elements stand next to each other in HBM.
      swapped = own[0] == first;
    }
    if (p_.batch_axis >= 0 && !own.empty() && s.axes.back() == p_.batch_axis)
      return refuse("mapper-operand-order")
          .what(p_.formula.result().name, " is stored with ", name_of_axis(p_.batch_axis), " inside")
          .why("slices compute neighbours of a row of one product, and DMA moves no single elements")
          .help("store it with ", name_of_axis(p_.batch_axis), " outside of ", name_of_axis(own.back()));
    p_.a = body.of[swapped ? 1 : 0].tensor;
    p_.b = body.of[swapped ? 0 : 1].tensor;
    p_.row_axis = swapped ? second : first;
    p_.column_axis = swapped ? first : second;
    p_.rows = size_of(p_.row_axis);
    p_.columns = size_of(p_.column_axis);
    p_.depth = size_of(p_.summed_axis);
    p_.batches_in_result = batches_within(s.axes, p_.row_axis);
    for (const Expression& read : body.of) {
      bool const summed_last = read.index.back().parts[0].axis == p_.summed_axis;
      if (!summed_last && p_.tensor(read.tensor).stored.kind != formula::StoredAs::Kind::any)
        return refuse("mapper-operand-order")
            .what(formula::print(p_.formula, read), " is stored with ", name_of_axis(p_.summed_axis), " outside")
            .why("a Row multiplies neighbours along the summed axis, and DMA moves no single elements")
            .help("store it with ", name_of_axis(p_.summed_axis), " last, or let the mapper choose: {any}");
      if (p_.tensor(read.tensor).stored.kind == formula::StoredAs::Kind::blocks)
        return refuse("mapper-operand-order")
            .what(p_.tensor(read.tensor).name, " is stored in blocks of ", p_.tensor(read.tensor).stored.block)
            .why("blocks are chosen by the mapper, together with everything else")
            .help("write {rows} or {any}");
      if (p_.tensor(read.tensor).stored.kind == formula::StoredAs::Kind::any) continue;
      std::vector<int> axes;
      for (const formula::AffineIndex& x : read.index) axes.push_back(x.parts[0].axis);
      bool const is_a = read.tensor == p_.a;
      (is_a ? p_.batches_in_a : p_.batches_in_b) = batches_within(axes, is_a ? p_.row_axis : p_.column_axis);
    }
    for (std::int64_t size : {p_.rows, p_.columns, p_.depth})
      if (size > largest)
        return refuse("mapper-size")
            .what("the product is ", p_.rows, " x ", p_.columns, " x ", p_.depth)
            .why("axes of more than ", largest, " steps would make programs that take too long to check and to schedule")
            .help("cut the product into several");
    return accept();
  }

  /// y[(n,) h, w, f], of windows [(n,) h, w, c] and filters [f, r, s, c]; r, s or both may be absent.
  Verdict convolution(const formula::Statement& s, const Expression& sum) {
    const Expression& body = sum.of[0];
    bool const product = body.operation == Operation::mul && body.of[0].operation == Operation::read &&
                         body.of[1].operation == Operation::read && body.of[0].tensor != body.of[1].tensor;
    if (!product || p_.maximum)
      return no_product(text("the ", name_of(sum), " is over ", sum.over.size(), " axes, of ", formula::print(p_.formula, body)));
    std::size_t const own = s.axes.size() - 1;  // of an image
    bool const swapped = body.of[0].index.size() < 2 || body.of[0].index[0] == formula::AffineIndex{{{s.axes.back(), 1}}, 0};
    const Expression &image = body.of[swapped ? 1 : 0], &filter = body.of[swapped ? 0 : 1];
    ImageWindows w;
    auto const wrong = [&] {
      return text("the result has ", s.axes.size(), " axes, and the operands are ", formula::print(p_.formula, body));
    };
    if (image.index.size() != own + 1 || filter.index.size() != sum.over.size() + 1 || sum.over.empty() || sum.over.size() > 3)
      return no_product(wrong());
    auto const axis_at = [](const formula::AffineIndex& x) { return x.plain() ? x.parts[0].axis : -1; };
    // Channels stand together in both operands, and sums go over weights as they are stored.
    bool fits = axis_at(image.index.back()) == sum.over.back() && axis_at(filter.index[0]) == s.axes.back();
    for (std::size_t i = 0; i < sum.over.size(); ++i) fits &= axis_at(filter.index[i + 1]) == sum.over[i];
    if (own == 3) {
      w.image_axis = s.axes[0];
      w.images = size_of(w.image_axis);
      fits &= axis_at(image.index[0]) == w.image_axis;
    }
    std::vector<int> weights(sum.over.begin(), sum.over.end() - 1);
    std::vector<std::int64_t> const places = p_.formula.extents(image.tensor);
    auto const direction = [&](ImageWindows::Direction& d, std::size_t at) {
      d.axis = s.axes[own - 2 + at];
      d.pixels = size_of(d.axis);
      const formula::AffineIndex& x = image.index[own - 2 + at];
      d.places = places[own - 2 + at];
      d.before = -x.offset;
      bool found = false;
      for (const formula::AffineIndex::Part& part : x.parts) {
        fits &= part.times > 0;
        if (part.axis == d.axis) {
          d.stride = part.times;
          found = true;
        } else if (!weights.empty() && part.axis == weights.front()) {
          weights.erase(weights.begin());
          d.weight_axis = part.axis;
          d.weights = size_of(part.axis);
          d.dilation = part.times;
        } else {
          fits = false;
        }
      }
      fits &= found && d.before >= 0 && d.before <= d.reach(1);
    };
    direction(w.down, 0);
    direction(w.across, 1);
    if (!fits || !weights.empty())
      return refuse("mapper-formula")
          .what(wrong())
          .why("a convolution has its channels last in both operands, and sums over the filter's axes as they are stored")
          .help(
              "write y[h, w, f] = sum[r, s, c] x[h * stride + r - before : places, w * stride + s - before : places, c]{any} * W[f, r, s, "
              "c]{any}");
    for (const ImageWindows::Direction* d : {&w.down, &w.across})
      if (d->places == 1 && d->before > 0)
        return refuse("mapper-formula")
            .what("an image of one place along ", name_of_axis(d->axis), ", with ", d->before, " of zeros before it")
            .why("only one weight along that axis meets anything but zeros")
            .help("leave the axis out, and take that weight");
    p_.a = image.tensor;
    p_.b = filter.tensor;
    p_.row_axis = w.down.axis;
    p_.column_axis = s.axes.back();
    p_.summed_axis = sum.over.back();
    w.channels = size_of(p_.summed_axis);
    // A packet holds the channels of one place: 64 bytes.
    w.stored_channels = round_up(w.channels, std::int64_t{64} / bytes_of(p_.tensor(p_.a).type));
    p_.rows = w.images * w.down.pixels * w.across.pixels;
    p_.columns = size_of(p_.column_axis);
    p_.depth = w.down.weights * w.across.weights * w.stored_channels;
    auto const free = [&](int tensor) { return p_.tensor(tensor).stored.kind == formula::StoredAs::Kind::any; };
    bool const border = w.down.before > 0 || w.across.before > 0 || w.down.reach(w.down.pixels) > w.down.places ||
                        w.across.reach(w.across.pixels) > w.across.places;
    bool const padded = w.stored_channels != w.channels;
    if (!free(p_.a) || (padded && !free(p_.b)))
      return refuse("mapper-operand-order")
          .what(p_.tensor(free(p_.a) ? p_.b : p_.a).name, " is stored as it is written",
                border ? ", and windows reach beyond its border" : "", padded ? ", and its channels fill no packets" : "")
          .why("the mapper stores an image with the zeros around it, and channels in whole packets of 64 bytes")
          .help("let the mapper choose: {any} after the operands");
    if (p_.rows > largest * 64 || p_.columns > largest || p_.depth > largest)
      return refuse("mapper-size")
          .what("the convolution is a product of ", p_.rows, " x ", p_.columns, " x ", p_.depth)
          .why("axes of more than ", largest, " steps would make programs that take too long to check and to schedule")
          .help("cut the images, the filters or the channels into several");
    p_.windows = w;
    return accept();
  }

  Verdict types() {
    p_.type = p_.tensor(p_.a).type;
    p_.result = p_.formula.result().type;
    ScalarType const other = p_.tensor(p_.b).type;
    bool const bytes =
        p_.type == ScalarType::bf16 || p_.type == ScalarType::f8e4m3 || p_.type == ScalarType::f8e5m2 || p_.type == ScalarType::i8;
    bool const stored =
        p_.type == ScalarType::i8 ? p_.result == ScalarType::i32 : p_.result == ScalarType::bf16 || p_.result == ScalarType::f32;
    if (bytes && other == p_.type && stored) return accept();
    return refuse("mapper-operand-type")
        .what("a product of ", p_.type, " and ", other, " with a result of ", p_.result)
        .why("the Contraction Engine multiplies two operands of one type: bf16, f8 or i8; sums are f32, stored as bf16 or f32, or i32")
        .help("write types on which both agree: A: bf16[m, k] * B[n, k]");
  }

  Verdict maximum() const {
    if (!p_.maximum) return accept();
    // A slice keeps one row, in the only Row that finds a maximum.
    std::int64_t const packet = 64 / bytes_of(p_.type), most_rows = 8192, most_depth = 512 * packet;
    if (p_.depth % packet != 0)
      return refuse("mapper-maximum")
          .what("a maximum over ", p_.depth, " products of ", p_.type)
          .why("a packet has ", packet, " of them, and zeros that fill the last one up would win over negative products")
          .help("take a multiple of ", packet, ": repeat a pair, which changes no maximum");
    if (p_.rows <= most_rows && p_.depth <= most_depth) return accept();
    return refuse("mapper-maximum")
        .what("maxima of ", p_.rows, " rows over ", p_.depth, " products")
        .why("a slice finds the maxima of one row at a time, all of it in its TRF")
        .help("cut the formula into several, with at most ", most_rows, " rows and ", most_depth, " products each");
  }
  Verdict check_steps() {
    for (auto const& [i, axis] : axis_of_step_) {
      EpilogueStep& step = p_.after[i];
      step.of_columns = axis == p_.column_axis;
      if (axis == p_.batch_axis)
        return refuse("mapper-epilogue")
            .what(p_.tensor(step.tensor).name, " has a number for each ", name_of_axis(axis))
            .why("numbers come one for each row or column, and are the same for all products")
            .help("multiply or add it in a formula of its own");
      if (p_.windows && !step.of_columns)
        return refuse("mapper-epilogue")
            .what(p_.tensor(step.tensor).name, " has a number for each ", name_of_axis(axis))
            .why("a convolution's steps have a number for each filter")
            .help("add it in a formula of its own");
      const formula::FormulaTensor& t = p_.tensor(step.tensor);
      if (t.type == ScalarType::bf16 && t.stored.kind != formula::StoredAs::Kind::blocks) continue;
      return refuse("mapper-epilogue")
          .what(t.name, " is ", t.type, t.stored.kind == formula::StoredAs::Kind::blocks ? ", stored in blocks" : "")
          .why("numbers of rows and columns come as bf16, one after the other")
          .help("write ", t.name, ": bf16");
    }
    constexpr std::array known = {Operation::add,  Operation::sub,     Operation::mul, Operation::min,  Operation::max,  Operation::relu,
                                  Operation::gelu, Operation::silu,    Operation::exp, Operation::sqrt, Operation::tanh, Operation::erf,
                                  Operation::log,  Operation::sigmoid, Operation::sin, Operation::cos};
    for (const EpilogueStep& step : p_.after) {
      bool const fits = std::find(known.begin(), known.end(), step.operation) != known.end();
      if (fits && p_.type != ScalarType::i8) continue;
      return refuse("mapper-epilogue")
          .what("after the sum comes ", formula::name_of(step.operation), p_.type == ScalarType::i8 ? ", in whole numbers" : "")
          .why("the steps that the mapper knows are sums, differences and products of f32, minima, maxima and functions of one argument")
          .help("make it in a formula of its own, or leave it to a kernel of kernels/rowwise");
    }
    return accept();
  }

  Product p_;
  std::vector<std::pair<std::size_t, int>> axis_of_step_;
};

}  // namespace

Expected<Product> product_of(const formula::Formula& formula) { return ProductReader(formula).read(); }

ProductWork work_of(const Product& p) {
  std::int64_t const operand = bytes_of(p.type), of_result = bytes_of(p.result);
  if (p.windows) {
    const ImageWindows& w = *p.windows;
    std::int64_t const weights = w.down.weights * w.across.weights * w.channels;
    std::int64_t const places =
        std::min(w.down.places, w.down.pixels * w.down.weights) * std::min(w.across.places, w.across.pixels * w.across.weights);
    return {p.rows * p.columns * weights,
            (w.images * places * w.channels + p.columns * weights) * operand + p.rows * p.columns * of_result};
  }
  return {p.batches * p.rows * p.columns * p.depth,
          p.batches * ((p.rows + p.columns) * p.depth * operand + p.rows * p.columns * of_result)};
}

ProductBounds bounds_of(const Device& device, const Product& p) {
  ProductWork const work = work_of(p);
  std::int64_t const chip = device.levels.clusters_per_chip * device.levels.slices_per_cluster * device.levels.rows_per_slice *
                            (device.contraction.mac_bytes.value / bytes_of(p.type));
  ProductBounds b;
  b.rates = std::max(ceil_div(work.multiply_adds, chip), ceil_div(work.hbm_bytes, hbm_bytes_per_cycle(device)));
  b.with_startups = b.rates + 3 * device.dma.startup.value;
  return b;
}

}  // namespace tcp::mapper
