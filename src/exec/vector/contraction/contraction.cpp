// Runs a contraction: as a matrix product where contraction_plan.cpp finds one, otherwise element by element in the
// same order of sums.
#include "exec/vector/contraction/contraction.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "exec/vector/contraction/plan.hpp"
#include "exec/vector/kernels/in_parallel.hpp"
#include "exec/vector/ordered.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/support/image_parts.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector {
namespace {

/// The offsets of all rounds of some loops, in one of their strides.
std::vector<std::int64_t> offsets(const std::vector<KeptLoop>& loops, std::int64_t KeptLoop::* stride) {
  std::vector<std::int64_t> all{0};
  for (const KeptLoop& l : loops) {
    std::vector<std::int64_t> next;
    next.reserve(all.size() * static_cast<std::size_t>(l.size));
    for (std::int64_t at : all)
      for (std::int64_t i = 0; i < l.size; ++i) next.push_back(at + i * (l.*stride));
    all = std::move(next);
  }
  return all;
}

std::int64_t rounds(const std::vector<KeptLoop>& loops) {
  std::int64_t n = 1;
  for (const KeptLoop& l : loops) n *= l.size;
  return n;
}

/// Outer products smaller than this are taken pair by pair, many at a time.
constexpr std::int64_t small_product = 32;

/// What an operand consists of whose image can be had in parts: it stays as it is, and the part that is computed
/// with is
/// made as it is needed. Null: for others.
const ImageParts* parts_of(const Tensor& t) {
  const std::shared_ptr<const Image>& image = t.storage->argument();
  return image ? dynamic_cast<const ImageParts*>(image->later()) : nullptr;
}

/// The operand that stays as it is has no cells yet.
kernels::Contraction kernel_of(const ContractionPlan& plan, const Tensor& data, const Tensor& weights, const ContractionFacts& facts,
                               const How& how, const Tensor* in_parts) {
  auto const cells = [&](const Tensor& t, std::int64_t offset) { return &t == in_parts ? nullptr : t.data() + offset * t.width(); };
  kernels::Contraction k;
  auto const keeper = [](const Tensor& t) { return t.storage->argument() ? &t.storage->argument()->owner() : nullptr; };
  k.a = {data.type, cells(data, plan.data_offset), nullptr, plan.data_k.data(), keeper(data)};
  k.b = {weights.type, cells(weights, plan.weights_offset), nullptr, plan.weights_k.data(), keeper(weights)};
  k.steps = plan.steps;
  k.depth = plan.depth;
  k.leaves = plan.plain() ? nullptr : plan.leaves.data();
  k.join = facts.op == ContractOp::Add ? kernels::Join::add : kernels::Join::max;
  k.model = how.model;
  k.out = reinterpret_cast<std::uint32_t*>(plan.out.writable_data());
  return k;
}

void run_pairs(const ContractionPlan& plan, kernels::Contraction k, const How& how) {
  std::vector<KeptLoop> all = plan.both;
  all.insert(all.end(), plan.rows.begin(), plan.rows.end());
  all.insert(all.end(), plan.columns.begin(), plan.columns.end());
  auto const a = offsets(all, &KeptLoop::data), b = offsets(all, &KeptLoop::weights), out = offsets(all, &KeptLoop::out);
  auto const pairs = static_cast<std::int64_t>(a.size());
  auto const some = [&](std::int64_t first, std::int64_t count, kernels::Workspace& workspace) {
    kernels::Contraction part = k;
    part.rows = count;
    part.a.outer = a.data() + first;
    part.b.outer = b.data() + first;
    part.out_row = out.data() + first;
    kernels::contract_pairs(part, workspace);
  };
  constexpr std::int64_t grain = 256;
  if (how.threads <= 1 || pairs <= grain) {
    kernels::Workspace workspace;
    some(0, pairs, workspace);
    return;
  }
  tbb::enumerable_thread_specific<kernels::Workspace> workspaces;
  kernels::in_parallel(ceil_div(pairs, grain),
                       [&](std::int64_t i) { some(i * grain, std::min(grain, pairs - i * grain), workspaces.local()); });
}

void run_products(const ContractionPlan& plan, kernels::Contraction k, const How& how) {
  auto const a = offsets(plan.rows, &KeptLoop::data), out_row = offsets(plan.rows, &KeptLoop::out);
  auto const b = offsets(plan.columns, &KeptLoop::weights), out_column = offsets(plan.columns, &KeptLoop::out);
  auto const data = offsets(plan.both, &KeptLoop::data), weights = offsets(plan.both, &KeptLoop::weights),
             out = offsets(plan.both, &KeptLoop::out);
  k.rows = static_cast<std::int64_t>(a.size());
  k.columns = static_cast<std::int64_t>(b.size());
  k.a.outer = a.data();
  k.b.outer = b.data();
  k.out_row = out_row.data();
  k.out_column = out_column.data();
  std::vector<kernels::Apart> products;
  products.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) products.push_back({data[i], weights[i], out[i]});
  kernels::contract(k, products, how.threads);
}

/// Products with an operand that is made part by part: some of its rows (or columns) at a time, in a buffer.
class ProductsInParts {
 public:
  ProductsInParts(const ContractionPlan& plan, const kernels::Contraction& k, const Tensor& operand, bool is_weights)
      : k_(k), parts_(*parts_of(operand)), width_(operand.width()), weights_(is_weights) {
    const std::vector<std::int64_t>& inner = is_weights ? plan.weights_k : plan.data_k;
    first_ = operand.offset + (is_weights ? plan.weights_offset : plan.data_offset);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      auto const at = static_cast<std::int64_t>(i);
      inner_.push_back(at);
      if (i > 0 && inner[i] == inner[i - 1] + 1) ++runs_.back().count;
      else runs_.push_back({at, inner[i], 1});
    }
    auto const loops = [&](std::int64_t KeptLoop::* of, const std::vector<KeptLoop>& all) { return offsets(all, of); };
    outer_ = loops(is_weights ? &KeptLoop::weights : &KeptLoop::data, is_weights ? plan.columns : plan.rows);
    out_ = loops(&KeptLoop::out, is_weights ? plan.columns : plan.rows);
    other_ = loops(is_weights ? &KeptLoop::data : &KeptLoop::weights, is_weights ? plan.rows : plan.columns);
    other_out_ = loops(&KeptLoop::out, is_weights ? plan.rows : plan.columns);
    both_data_ = loops(&KeptLoop::data, plan.both);
    both_weights_ = loops(&KeptLoop::weights, plan.both);
    both_out_ = loops(&KeptLoop::out, plan.both);
    // Few enough to stay in the second-level cache, unless the other side has rows enough to hide how they come.
    std::int64_t const bytes = std::ssize(inner_) * width_, room = std::ssize(other_) > 16 ? std::int64_t{8} << 20 : std::int64_t{1} << 19;
    at_once_ = std::clamp<std::int64_t>(room / bytes, 16, 512);
    for (std::int64_t i = 0; i < at_once_; ++i) buffer_outer_.push_back(i * std::ssize(inner_));
  }
  void run(int threads) const {
    std::int64_t const parts = ceil_div(std::ssize(outer_), at_once_), all = parts * std::ssize(both_out_);
    auto const one = [&](std::int64_t i) { run_part(static_cast<std::size_t>(i / parts), i % parts * at_once_); };
    if (threads > 1) kernels::in_parallel(all, one);
    else
      for (std::int64_t i = 0; i < all; ++i) one(i);
  }

 private:
  struct Run {
    std::int64_t k, from, count;
  };

  void run_part(std::size_t product, std::int64_t first) const {
    static thread_local kernels::Workspace workspace;
    static thread_local std::vector<std::byte> buffer;
    std::int64_t const count = std::min(at_once_, std::ssize(outer_) - first), row = std::ssize(inner_) * width_;
    buffer.resize(static_cast<std::size_t>(count * row));
    std::int64_t const begin = first_ + (weights_ ? both_weights_ : both_data_)[product];
    for (std::int64_t i = 0; i < count; ++i)
      for (const Run& r : runs_)
        parts_.write_part(buffer.data() + i * row + r.k * width_,
                          static_cast<std::size_t>((begin + outer_[static_cast<std::size_t>(first + i)] + r.from) * width_),
                          static_cast<std::size_t>(r.count * width_));
    kernels::Contraction part = k_;
    kernels::Factor &made = weights_ ? part.b : part.a, &other = weights_ ? part.a : part.b;
    made.cells = buffer.data();
    made.outer = buffer_outer_.data();
    made.inner = inner_.data();
    made.never_changes = nullptr;
    other.cells += (weights_ ? both_data_ : both_weights_)[product] * kernels::cell_bytes(other.type);
    other.outer = other_.data();
    (weights_ ? part.columns : part.rows) = count;
    (weights_ ? part.rows : part.columns) = std::ssize(other_);
    (weights_ ? part.out_column : part.out_row) = out_.data() + first;
    (weights_ ? part.out_row : part.out_column) = other_out_.data();
    part.out += both_out_[product];
    kernels::contract(part, workspace);
  }

  const kernels::Contraction& k_;
  const ImageParts& parts_;
  std::int64_t width_, first_ = 0, at_once_ = 1;
  bool weights_;  // of the two operands
  std::vector<Run> runs_;
  std::vector<std::int64_t> inner_, outer_, out_, other_, other_out_, both_data_, both_weights_, both_out_, buffer_outer_;
};

/// A number that is being summed, with where it is undefined from.
struct Summand {
  std::uint32_t bits = 0;
  Origin undefined = 0;
  bool there = false;
};

/// Products and sums one by one: for what no plan covers.
class OneByOne {
 public:
  OneByOne(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out, const How& how)
      : data_(data),
        weights_(weights),
        facts_(facts),
        at_(facts.pair->at),
        axes_(at_),
        in_data_(axes_.lie_of(data)),
        in_weights_(axes_.lie_of(weights)),
        model_(how.model),
        floating_(facts.contracted->type == ScalarType::f32),
        result_(fresh(facts.contracted->type, axes_of(out))),
        tree_(std::size_t{1} << facts.contracted->depth) {
    std::fill_n(result_.writable_data(), result_.size() * result_.width(), std::byte{0});
    if (data.has_undefined() || weights.has_undefined()) track(result_);
    in_result_ = axes_.lie_of(result_);
    begun_by_.assign(static_cast<std::size_t>(result_.size()), 0);
    // A start goes with the digits that are summed, so that axes of the result may begin elsewhere.
    shift_.assign(axes_.count(), 0);
    for (std::size_t i = 0; i < axes_.count(); ++i)
      steps_weights_.push_back(weights.find(axes_.name(i)) == nullptr || facts.steps_weights(axes_.name(i)));
    for (int l = 0; l < level_count; ++l) {
      for (int a = 0; a < out.at[l].axes; ++a)
        if (int const i = axes_.find(out.at[l].axis[a].name); i >= 0) shift_[static_cast<std::size_t>(i)] += out.at[l].axis[a].start;
      for (int a = 0; a < at_.at[l].axes; ++a)
        shift_[static_cast<std::size_t>(axes_.find(at_.at[l].axis[a].name))] -= at_.at[l].axis[a].start;
    }
  }

  Tensor run() {
    auto const packet = ordered_spots(at_[Level::packet], axes_), time = ordered_spots(at_[Level::time], axes_);
    for (const OrderedSpot& chip : live_spots(at_[Level::chip], axes_))
      for (const OrderedSpot& cluster : live_spots(at_[Level::cluster], axes_))
        for (const OrderedSpot& slice : live_spots(at_[Level::slice], axes_))
          for (const OrderedSpot& row : live_spots(at_[Level::row], axes_)) {
            ++unit_;
            Coordinates here = chip.at;
            for (const OrderedSpot* s : {&cluster, &slice, &row}) add(here, s->at);
            Place place{chip.position, cluster.position, slice.position, row.position};
            for (const OrderedSpot& step : time) {
              const OrderedSpot& kept = time[static_cast<std::size_t>(kept_step(step.position))];
              if (kept.pad == Pad::none) add_step(here, place, step, kept, packet);
            }
          }
    return without_idle_origins(result_);
  }

 private:
  /// The first time step with the same kept rounds.
  std::int64_t kept_step(std::int64_t step) const {
    const Accumulated& a = *facts_.accumulated;
    std::int64_t kept = 0, inside = 1;
    for (int k = a.loops - 1; k >= 0; --k) {
      if (!a.loop[k].added) kept += step / inside % a.loop[k].rounds * inside;
      inside *= a.loop[k].rounds;
    }
    return kept;
  }

  void add_step(const Coordinates& here, Place place, const OrderedSpot& step, const OrderedSpot& kept,
                const std::vector<OrderedSpot>& packet) {
    place.time = step.position;
    for (std::size_t first = 0; first + tree_.size() <= packet.size(); first += tree_.size()) {
      if (packet[first].pad != Pad::none) continue;  // a column of padding, which the result has too
      Coordinates to = here;
      add(to, shift_);
      add(to, kept.at);
      add(to, packet[first].at);
      std::int64_t const where = offset_at(in_result_, to);
      if (where < 0) continue;
      bool any = false;
      for (std::size_t leaf = 0; leaf < tree_.size(); ++leaf) {
        const OrderedSpot& lane = packet[first + leaf];
        Coordinates from = here;
        add(from, step.at);
        add(from, lane.at);
        tree_[leaf] = {};
        place.packet = lane.position;
        if (step.pad == Pad::none && lane.pad == Pad::none && inside_axes(axes_, from)) tree_[leaf] = product(from, here);
        else tree_[leaf].there = cell(at_, place).pad == Pad::zero;
        any |= tree_[leaf].there;
      }
      if (any) take(where, joined_tree());
    }
  }

  Summand joined_tree() {
    for (std::size_t width = tree_.size(); width > 1; width /= 2)
      for (std::size_t i = 0; i < width / 2; ++i) {
        Summand const a = tree_[2 * i], b = tree_[2 * i + 1];
        tree_[i] = a.there && b.there ? join(a, b) : a.there ? a : b;
      }
    return tree_[0];
  }

  Summand loaded(const Tensor& t, const AxisList::Lie& lie, const Coordinates& at) const {
    std::int64_t const offset = offset_at(lie, at);
    if (offset < 0) return {0, 0, true};
    ScalarType const wide = facts_.contracted->type;
    std::uint32_t const bits = load_bits(t.data() + offset * t.width(), t.width());
    return {scalar_cast_bits(t.type, wide, bits, model_), t.origins ? t.origin_data()[origin_offset_at(lie, at)] : 0, true};
  }
  /// `here`: of the unit alone.
  Summand product(const Coordinates& at, const Coordinates& here) const {
    Coordinates weights_at = at;
    for (std::size_t i = 0; i < weights_at.size(); ++i)
      if (!steps_weights_[i]) weights_at[i] = here[i];
    Summand const a = loaded(data_, in_data_, at), b = loaded(weights_, in_weights_, weights_at);
    Origin const undefined = a.undefined != 0 ? a.undefined : b.undefined;
    if (floating_) return {arithmetic::mul(f32::from_bits(a.bits), f32::from_bits(b.bits), model_).bits, undefined, true};
    return {arithmetic::mul_int(i32::from_bits(a.bits), i32::from_bits(b.bits)).bits, undefined, true};
  }
  Summand join(const Summand& a, const Summand& b) const {
    Origin const undefined = a.undefined != 0 ? a.undefined : b.undefined;
    bool const sum = facts_.op == ContractOp::Add;
    if (floating_) {
      f32 const x = f32::from_bits(a.bits), y = f32::from_bits(b.bits);
      return {(sum ? arithmetic::add(x, y, model_) : arithmetic::max(x, y, model_)).bits, undefined, true};
    }
    i32 const x = i32::from_bits(a.bits), y = i32::from_bits(b.bits);
    return {(sum ? arithmetic::add_fxp(x, y) : arithmetic::max(x, y)).bits, undefined, true};
  }

  /// One more step of the sum at `where`; copies of a unit sum anew, and come to the same.
  void take(std::int64_t where, Summand e) {
    std::byte* const at = result_.writable_data() + where * 4;
    std::int64_t& begun = begun_by_[static_cast<std::size_t>(where)];
    if (begun == unit_) e = join({load_bits(at, 4), result_.origins ? result_.origin_data()[where] : 0, true}, e);
    begun = unit_;
    store_bits(at, 4, e.bits);
    if (result_.origins) result_.writable_origins()[where] = e.undefined;
  }

  const Tensor &data_, &weights_;
  const ContractionFacts& facts_;
  const Levels& at_;
  AxisList axes_;
  AxisList::Lie in_data_, in_weights_, in_result_;
  NumericModel model_;
  bool floating_;
  Tensor result_;
  std::vector<Summand> tree_;
  std::vector<std::int64_t> begun_by_;
  Coordinates shift_;
  std::vector<bool> steps_weights_;  // by axis
  std::int64_t unit_ = 0;
};

}  // namespace

Tensor contract(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out, const How& how) {
  auto const plan = plan_contraction(data, weights, facts, out);
  if (!plan) return OneByOne(data, weights, facts, out, how).run();
  bool const pairs = rounds(plan->rows) * rounds(plan->columns) < small_product && rounds(plan->both) > 1;
  const Tensor* const in_parts = pairs ? nullptr : parts_of(weights) != nullptr ? &weights : parts_of(data) != nullptr ? &data : nullptr;
  kernels::Contraction const k = kernel_of(*plan, data, weights, facts, how, in_parts);
  if (pairs) run_pairs(*plan, k, how);
  else if (in_parts != nullptr) ProductsInParts(*plan, k, *in_parts, in_parts == &weights).run(how.threads);
  else run_products(*plan, k, how);
  return plan->out;
}

std::string words_of_contraction(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out) {
  auto const plan = plan_contraction(data, weights, facts, out);
  Text words;
  if (!plan) {
    words << "contraction, output by output";
    return std::string(words.view());
  }
  words << "contraction of " << rounds(plan->both) << " x (" << rounds(plan->rows) << " x " << rounds(plan->columns) << "), " << plan->steps
        << " steps of " << (std::int64_t{1} << plan->depth) << " products";
  return std::string(words.view());
}

}  // namespace tcp::vector
