// Runs a chain over blocks of lanes.
//
// The lanes of a block are all coordinates of the innermost axes, as many axes as fit, and some steps of the next. A
// tensor whose elements lie one behind the other there is read where it is, any other is gathered; the last instruction
// writes straight into the destination if its elements do.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "exec/vector/chain.hpp"
#include "exec/vector/compute.hpp"
#include "exec/vector/kernels/hand_over.hpp"
#include "exec/vector/kernels/move.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/round.hpp"
#include "tcp/support/sort_stably.hpp"

namespace tcp::vector {
namespace {

using Kind = Instruction::Kind;

constexpr std::int64_t block_lanes = 1024;

/// How one tensor lies along the axes of the domain.
struct Walked {
  std::vector<std::int64_t> strides;  // by axis of the domain, outermost first

  std::int64_t at(const std::vector<std::int64_t>& coordinates) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) offset += coordinates[i] * strides[i];
    return offset;
  }
};

/// Loops over the lanes of a block, outermost first, joined where they run on.
struct LaneLoops {
  std::vector<kernels::MoveLoop> loops;  // `to` counts lanes

  bool dense() const { return loops.empty() || (loops.size() == 1 && loops[0].from == 1); }
  bool same() const { return loops.empty() || (loops.size() == 1 && loops[0].from == 0); }
};

class Execution {
 public:
  Execution(const Chain& chain, Tensor& to, const How& how) : chain_(chain), to_(to), how_(how), tracked_(chain.has_undefined()) {
    if (tracked_) track(to_);
    choose_order();
    choose_block();
    for (const Tensor& t : chain.tensors) {
      bits_.push_back(walked(t, false));
      origins_.push_back(walked(t, true));
    }
    out_bits_ = walked(to_, false);
    out_origins_ = walked(to_, true);
    plan_slots();
  }

  void run() {
    if (total_ == 0) return;
    if (how_.threads <= 1 || blocks_ < 4) {
      Thread own(*this);
      for (std::int64_t b = 0; b < blocks_; ++b) own.run(b);
      return;
    }
    kernels::HandOver hand_over;
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, blocks_, static_cast<std::size_t>(std::max<std::int64_t>(1, blocks_ / (4 * how_.threads)))),
        [this, &hand_over](const tbb::blocked_range<std::int64_t>& some) {
          kernels::HandOver::Part const part(hand_over);
          Thread own(*this);
          for (std::int64_t b = some.begin(); b < some.end(); ++b) own.run(b);
        });
  }

 private:
  /// Where lanes are as neighbours: by the destination's strides.
  void choose_order() {
    for (const Axis& a : to_.axes)
      if (a.size != 1) domain_.push_back(a);
    sort_stably(domain_, [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
    total_ = 1;
    for (const Axis& a : domain_) total_ *= a.size;
  }

  void choose_block() {
    inner_ = domain_.size();
    std::int64_t lanes = 1;
    while (inner_ > 0 && lanes * domain_[inner_ - 1].size <= block_lanes) lanes *= domain_[--inner_].size;
    whole_lanes_ = lanes;
    blocks_ = 1;
    if (inner_ > 0) {  // some steps of the next axis at a time
      --inner_;
      chunk_ = std::max<std::int64_t>(1, block_lanes / lanes);
      chunks_ = ceil_div(domain_[inner_].size, chunk_);
      blocks_ = chunks_;
      chunked_ = true;
    }
    for (std::size_t i = 0; i < inner_; ++i) blocks_ *= domain_[i].size;
  }

  Walked walked(const Tensor& t, bool origins) const {
    Walked w;
    for (const Axis& d : domain_) {
      const Axis* const a = t.find(d.name);
      TCP_BUG_UNLESS(a == nullptr || a->size >= d.size, "a chain reads outside one of its tensors");
      w.strides.push_back(a == nullptr ? 0 : origins ? a->origin_stride : a->stride);
    }
    return w;
  }

  LaneLoops lane_loops(const Walked& w, std::int64_t steps) const {
    LaneLoops l;
    std::int64_t lanes = 1;
    for (std::size_t i = domain_.size(); i-- > inner_;) {
      std::int64_t const size = chunked_ && i == inner_ ? steps : domain_[i].size;
      if (size == 1) continue;
      if (!l.loops.empty() && w.strides[i] == l.loops.front().from * l.loops.front().size) l.loops.front().size *= size;
      else l.loops.insert(l.loops.begin(), {size, w.strides[i], lanes});
      lanes *= size;
    }
    return l;
  }

  /// A buffer for each register that must be kept at the same time. Constants keep theirs.
  void plan_slots() {
    std::size_t const n = chain_.code.size();
    std::vector<int> last(n, -1);
    for (std::size_t i = 0; i < n; ++i)
      for (int r : {chain_.code[i].a, chain_.code[i].b, chain_.code[i].c})
        if (r >= 0) last[static_cast<std::size_t>(r)] = static_cast<int>(i);
    needed_.assign(n, false);
    needed_[static_cast<std::size_t>(chain_.result)] = true;
    for (std::size_t i = n; i-- > 0;)
      if (needed_[i])
        for (int r : {chain_.code[i].a, chain_.code[i].b, chain_.code[i].c})
          if (r >= 0) needed_[static_cast<std::size_t>(r)] = true;
    last[static_cast<std::size_t>(chain_.result)] = static_cast<int>(n);
    in_lanes_.assign(n, false);
    in_lanes_[static_cast<std::size_t>(chain_.result)] = true;
    for (const Instruction& i : chain_.code)
      for (int r : {i.a, i.kind == Kind::compute ? -1 : i.b, i.kind == Kind::compute ? -1 : i.c})
        if (r >= 0) in_lanes_[static_cast<std::size_t>(r)] = true;
    // What retype hands on lives as long as what it hands it to.
    for (std::size_t i = n; i-- > 0;)
      if (chain_.code[i].kind == Kind::retype || chain_.code[i].kind == Kind::doubt_by_id)
        last[static_cast<std::size_t>(chain_.code[i].a)] = std::max(last[static_cast<std::size_t>(chain_.code[i].a)], last[i]);
    slot_.assign(n, -1);
    std::vector<int> free;
    for (std::size_t i = 0; i < n; ++i) {
      if (!needed_[i]) continue;
      if (free.empty()) free.push_back(slots_++);
      slot_[i] = free.back();
      free.pop_back();
      for (std::size_t r = 0; r <= i; ++r)  // read for the last time by this instruction
        if (slot_[r] >= 0 && last[r] == static_cast<int>(i) && chain_.code[r].kind != Kind::constant) free.push_back(slot_[r]);
    }
  }

  /// One thread's buffers, and what they hold of the block at hand.
  class Thread {
   public:
    explicit Thread(const Execution& e)
        : e_(e),
          bits_(static_cast<std::size_t>(e.slots_) * block_lanes * 4),
          origins_(e.tracked_ ? static_cast<std::size_t>(e.slots_) * block_lanes : 0),
          value_(e.chain_.code.size(), nullptr),
          origin_(e.chain_.code.size(), nullptr),
          at_(e.domain_.size(), 0) {}

    void run(std::int64_t block) {
      place(block);
      if (loops_for_ != steps_) find_loops();
      std::int64_t const out = e_.out_bits_.at(at_);
      std::byte* const there = e_.to_.writable_data() + out * e_.to_.width();
      for (std::size_t i = 0; i < e_.chain_.code.size(); ++i) {
        if (!e_.needed_[i]) continue;
        const Instruction& what = e_.chain_.code[i];
        bool const straight =
            static_cast<int>(i) == e_.chain_.result && out_loops_.dense() && !what.ids && width_of(what.type) == e_.to_.width();
        std::byte* const buffer = straight ? there : bits_.data() + static_cast<std::size_t>(e_.slot_[i]) * block_lanes * 4;
        execute(i, what, buffer);
        if (e_.tracked_) follow(i, what);
      }
      auto const result = static_cast<std::size_t>(e_.chain_.result);
      if (value_[result] != there) move(out_loops_.loops, value_[result], there, e_.to_.width(), true);
      if (e_.tracked_)
        move(out_origin_loops_.loops, reinterpret_cast<const std::byte*>(origin_[result]),
             reinterpret_cast<std::byte*>(e_.to_.writable_origins() + e_.out_origins_.at(at_)), sizeof(Origin), true);
    }

   private:
    void place(std::int64_t block) {
      std::fill(at_.begin(), at_.end(), 0);
      steps_ = 1;
      if (e_.chunked_) {
        at_[e_.inner_] = block % e_.chunks_ * e_.chunk_;
        steps_ = std::min(e_.chunk_, e_.domain_[e_.inner_].size - at_[e_.inner_]);
        block /= e_.chunks_;
      }
      for (std::size_t i = e_.inner_; i-- > 0;) {
        at_[i] = block % e_.domain_[i].size;
        block /= e_.domain_[i].size;
      }
      lanes_ = static_cast<std::size_t>(e_.whole_lanes_ * steps_);
    }

    void find_loops() {
      loops_.clear();
      origin_loops_.clear();
      for (std::size_t t = 0; t < e_.bits_.size(); ++t) {
        loops_.push_back(e_.lane_loops(e_.bits_[t], steps_));
        origin_loops_.push_back(e_.lane_loops(e_.origins_[t], steps_));
      }
      out_loops_ = e_.lane_loops(e_.out_bits_, steps_);
      out_origin_loops_ = e_.lane_loops(e_.out_origins_, steps_);
      loops_for_ = steps_;
    }

    /// Lanes to a strided place, or (`scatter` false) from one.
    static void move(const std::vector<kernels::MoveLoop>& loops, const std::byte* from, std::byte* to, int width, bool scatter) {
      if (!scatter) {
        kernels::move(loops, width, from, to);
        return;
      }
      std::vector<kernels::MoveLoop> turned = loops;
      for (kernels::MoveLoop& l : turned) std::swap(l.from, l.to);
      kernels::move(turned, width, from, to);
    }

    const std::uint32_t* words(int r) const { return reinterpret_cast<const std::uint32_t*>(value_[static_cast<std::size_t>(r)]); }
    kernels::Argument argument(int r) const {
      if (r < 0) return {};
      const Instruction& from = e_.chain_.code[static_cast<std::size_t>(r)];
      if (from.kind == Kind::constant) return {nullptr, from.bits};
      return {words(r), 0};
    }
    const std::uint8_t* ids(int r) const { return reinterpret_cast<const std::uint8_t*>(value_[static_cast<std::size_t>(r)]); }

    void execute(std::size_t i, const Instruction& what, std::byte* buffer) {
      NumericModel const model = e_.how_.model;
      const std::byte* const a = what.a >= 0 ? value_[static_cast<std::size_t>(what.a)] : nullptr;
      value_[i] = buffer;
      switch (what.kind) {
        case Kind::load: {
          auto const t = static_cast<std::size_t>(what.tensor);
          const Tensor& tensor = e_.chain_.tensors[t];
          const std::byte* const from = tensor.data() + e_.bits_[t].at(at_) * tensor.width();
          if (loops_[t].dense()) value_[i] = from;
          else move(loops_[t].loops, from, buffer, tensor.width(), false);
          break;
        }
        case Kind::constant: {
          if (!e_.in_lanes_[i]) break;
          int const width = what.ids ? 1 : width_of(what.type);
          for (std::size_t lane = 0; lane < lanes_; ++lane) store_bits(buffer + lane * static_cast<std::size_t>(width), width, what.bits);
          break;
        }
        case Kind::parity: parity(what, reinterpret_cast<std::uint8_t*>(buffer)); break;
        case Kind::look_up: look_up(what, a, buffer); break;
        case Kind::cast: kernels::cast(what.from, what.type, a, buffer, lanes_, model); break;
        case Kind::zero_point: zero_point(what, a, buffer); break;
        case Kind::compute:
          kernels::compute(op_of(what.step),
                           {reinterpret_cast<std::uint32_t*>(buffer), words(what.a), argument(what.b), argument(what.c), lanes_}, model,
                           static_cast<int>(what.step.int_width));
          break;
        case Kind::relu:
          kernels::compute(what.type == ScalarType::f32 ? kernels::Op::relu : kernels::Op::max_i32,
                           {reinterpret_cast<std::uint32_t*>(buffer), words(what.a), {}, {}, lanes_}, model);
          break;
        case Kind::compare: compare(what, words(what.a), reinterpret_cast<std::uint8_t*>(buffer)); break;
        case Kind::ids_of_log:
          for (std::size_t lane = 0; lane < lanes_; ++lane) buffer[lane] = static_cast<std::byte>(words(what.a)[lane] & 15);
          break;
        case Kind::log_of_ids:
          for (std::size_t lane = 0; lane < lanes_; ++lane) store_bits(buffer + 4 * lane, 4, ids(what.a)[lane]);
          break;
        case Kind::choose:
          kernels::choose(what.guard.ids, ids(what.c), words(what.a), words(what.b), reinterpret_cast<std::uint32_t*>(buffer), lanes_);
          break;
        case Kind::doubt_by_id:
        case Kind::retype: value_[i] = a; break;
      }
    }

    /// Calls visit(lane, coordinate) for the lanes of a block.
    template <class Visit>
    void each_coordinate(const Instruction& what, Visit&& visit) const {
      std::size_t axis = 0;
      while (axis < e_.domain_.size() && !(e_.domain_[axis].name == what.axis)) ++axis;
      std::int64_t const begin = what.first + (axis < at_.size() ? at_[axis] : 0);
      std::int64_t inside = 1, size = 1;  // lanes that one step of the axis takes
      if (axis < e_.domain_.size() && axis >= e_.inner_) {
        for (std::size_t k = axis + 1; k < e_.domain_.size(); ++k) inside *= e_.domain_[k].size;
        size = e_.chunked_ && axis == e_.inner_ ? steps_ : e_.domain_[axis].size;
      }
      for (std::size_t lane = 0; lane < lanes_; ++lane) visit(lane, begin + static_cast<std::int64_t>(lane) / inside % size);
    }
    void parity(const Instruction& what, std::uint8_t* out) const {
      each_coordinate(what, [out](std::size_t lane, std::int64_t c) { out[lane] = c % 2 != 0 ? 1u << OperandGuard::group_bit : 0; });
    }

    void look_up(const Instruction& what, const std::byte* in, std::byte* out) const {
      int const width = width_of(what.type);
      if (width_of(what.from) == 1 && what.table->size() >= 256) {
        kernels::look_up(what.table->data(), in, out, width, lanes_);
        return;
      }
      std::uint32_t const mask = scalar_mask(what.from);
      int const from = width_of(what.from);
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        store_bits(out + lane * static_cast<std::size_t>(width), width,
                   (*what.table)[load_bits(in + lane * static_cast<std::size_t>(from), from) & mask]);
    }

    void zero_point(const Instruction& what, const std::byte* in, std::byte* out) const {
      kernels::subtract_zero_point(what.from, what.type, what.zero_point[0], in, out, lanes_);
      if (what.zero_points == 1) return;
      auto const from = static_cast<std::size_t>(width_of(what.from)), width = static_cast<std::size_t>(width_of(what.type));
      each_coordinate(what, [&](std::size_t lane, std::int64_t c) {
        if (c == 1) kernels::subtract_zero_point(what.from, what.type, what.zero_point[1], in + lane * from, out + lane * width, 1);
      });
    }

    void compare(const Instruction& what, const std::uint32_t* in, std::uint8_t* out) const {
      std::fill_n(out, lanes_, std::uint8_t{0});
      for (int i = 0; i < BranchMode::comparisons; ++i) {
        const InputCmp& c = what.mode.compare[i];
        auto const bit = static_cast<std::uint8_t>(1u << i);
        if (c.kind == InputCmp::Kind::False) continue;
        if (c.kind == InputCmp::Kind::True) {
          for (std::size_t lane = 0; lane < lanes_; ++lane) out[lane] = static_cast<std::uint8_t>(out[lane] | bit);
          continue;
        }
        kernels::compare(c.kind, c.type, in, c.boundary, e_.how_.model, bit, out, lanes_);
      }
    }

    // Undefined elements: the first undefined argument makes the result undefined, and zero.

    const Origin* origin(int r) const { return r < 0 ? nullptr : origin_[static_cast<std::size_t>(r)]; }

    void follow(std::size_t i, const Instruction& what) {
      Origin* const out = origins_.data() + static_cast<std::size_t>(e_.slot_[i]) * block_lanes;
      origin_[i] = out;
      switch (what.kind) {
        case Kind::load: {
          auto const t = static_cast<std::size_t>(what.tensor);
          const Tensor& tensor = e_.chain_.tensors[t];
          if (!tensor.origins) {
            std::fill_n(out, lanes_, Origin{0});
            break;
          }
          const Origin* const from = tensor.origin_data() + e_.origins_[t].at(at_);
          if (origin_loops_[t].same()) std::fill_n(out, lanes_, *from);
          else
            move(origin_loops_[t].loops, reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(out), sizeof(Origin),
                 false);
          break;
        }
        case Kind::constant:
        case Kind::parity: std::fill_n(out, lanes_, Origin{0}); break;
        case Kind::choose:
          for (std::size_t lane = 0; lane < lanes_; ++lane) {
            bool const first = what.guard.holds(ids(what.c)[lane]);
            out[lane] = (first ? origin(what.a) : origin(what.b))[lane];
          }
          break;
        default:
          for (std::size_t lane = 0; lane < lanes_; ++lane) {
            Origin first = 0;
            for (int r : {what.kind == Kind::doubt_by_id ? what.b : what.a, what.kind == Kind::doubt_by_id ? what.a : what.b, what.c})
              if (first == 0 && origin(r) != nullptr) first = origin(r)[lane];
            out[lane] = first;
          }
      }
    }

    const Execution& e_;
    std::vector<std::byte> bits_;
    std::vector<Origin> origins_;
    std::vector<const std::byte*> value_;
    std::vector<const Origin*> origin_;
    std::vector<std::int64_t> at_;  // the coordinates of the block's first lane
    std::int64_t steps_ = 1, loops_for_ = -1;
    std::size_t lanes_ = 0;
    std::vector<LaneLoops> loops_, origin_loops_;
    LaneLoops out_loops_, out_origin_loops_;
  };

  const Chain& chain_;
  Tensor& to_;
  How how_;
  bool tracked_;
  std::vector<Axis> domain_;
  std::int64_t total_ = 1, whole_lanes_ = 1, blocks_ = 1, chunk_ = 1, chunks_ = 1;
  std::size_t inner_ = 0;  // the first axis of a block
  bool chunked_ = false;   // and it is one of which a block has some steps only
  std::vector<Walked> bits_, origins_;
  Walked out_bits_, out_origins_;
  std::vector<bool> needed_, in_lanes_;  // in_lanes_: a constant that is read lane by lane
  std::vector<int> slot_;
  int slots_ = 0;
};

/// Axes of the result in the order in which the first tensor that has them lies in memory, so that neighbours stay
/// neighbours.
std::vector<AxisSize> order_of(const Chain& chain) {
  std::vector<AxisSize> axes = chain.axes;
  auto const stride_of = [&chain](Name name) {
    for (const Tensor& t : chain.tensors)
      if (const Axis* a = t.find(name); a != nullptr && a->stride != 0) return a->stride;
    return std::int64_t{0};
  };
  sort_stably(axes, [&](const AxisSize& x, const AxisSize& y) { return stride_of(x.name) > stride_of(y.name); });
  return axes;
}

/// Whether the result may change along an axis.
bool varies(const Chain& chain, Name axis) {
  for (const Tensor& t : chain.tensors)
    if (const Axis* a = t.find(axis); a != nullptr && (a->stride != 0 || (t.origins && a->origin_stride != 0))) return true;
  return std::any_of(chain.code.begin(), chain.code.end(), [axis](const Instruction& i) { return i.axis == axis; });
}

}  // namespace

void store(const Chain& chain, Tensor& to, const How& how) {
  if (chain.is_tensor()) {
    copy_into(to, chain.tensor());
    return;
  }
  if (to.origins && !chain.has_undefined()) {
    Tensor const clean = uniform(ScalarType::i32, {}, 0);
    Tensor plane = to;
    plane.type = ScalarType::i32;
    plane.storage = to.origins;
    plane.offset = to.origin_offset;
    plane.origins.reset();
    for (Axis& a : plane.axes) a.stride = a.origin_stride;
    copy_into(plane, clean);
  }
  Execution(chain, to, how).run();
}

Tensor made(const Chain& chain, const How& how) {
  if (chain.is_tensor()) return chain.tensor();
  std::vector<AxisSize> vary, all = chain.axes;
  for (const AxisSize& a : order_of(chain))
    if (varies(chain, a.name)) vary.push_back(a);
  Tensor t = fresh(chain.type(), vary);
  Execution(chain, t, how).run();
  return without_idle_origins(restricted(spread(t, all), all));
}

}  // namespace tcp::vector
