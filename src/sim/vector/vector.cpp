// Executes the steps of a vector programme on the flits of one slice. Steps that leave lanes in place may be run flit
// by flit, where an operand is written back.
#include "sim/vector/vector.hpp"

#include <algorithm>

#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sim {

namespace {

constexpr std::uint8_t second_group = 8;  // bit 3 of an execution id
constexpr std::uint16_t every_id = 0xffff;

std::int64_t address_of(const program::VrfWalk& walk, std::int64_t position) {
  std::int64_t address = walk.address;
  for (std::size_t k = walk.loops.size(); k-- > 0; position /= walk.loops[k].size)
    address += position % walk.loops[k].size * walk.loops[k].stride;
  return address;
}

/// A visitor with one function for each alternative.
template <class... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
Overloaded(Each...) -> Overloaded<Each...>;

/// Whether a step leaves every lane where it is.
bool is_lane_by_lane(const program::VectorStep& step) {
  if (const auto* o = std::get_if<program::OperateStep>(&step.what)) return o->group != program::OperateStep::Group::Zip;
  return std::holds_alternative<program::ConvertStep>(step.what) || std::holds_alternative<program::ReinterpretStep>(step.what) ||
         std::holds_alternative<program::WriteOperandStep>(step.what) || std::holds_alternative<program::StashStep>(step.what);
}

bool is_meant(std::uint16_t ids, std::uint8_t id) { return (ids >> id & 1) != 0; }

}  // namespace

VectorEngine::VectorEngine(const PassContext& context, const program::Vector& v, std::int64_t slice, SparseMemory& vrf, Stream in)
    : context_(context), v_(v), slice_(slice), vrf_(vrf), s_(std::move(in)), floating_(v.floating) {
  count_.assign(static_cast<std::size_t>(s_.packets), static_cast<std::uint8_t>(s_.lanes));
  forget_ids();
}

void VectorEngine::forget_ids() {
  id_.assign(s_.bits.size(), 0);
  id_undefined_.assign(s_.bits.size(), 0);
}

void VectorEngine::count_lanes() {
  if (!v_.valid_count || counted_ || next_ != static_cast<std::size_t>(v_.counted_before)) return;
  counted_ = true;
  for (std::int64_t flit = 0; flit < s_.packets; ++flit)
    count_[static_cast<std::size_t>(flit)] = static_cast<std::uint8_t>(valid_lanes(*v_.valid_count, slice_, flit));
}

Verdict VectorEngine::run(std::size_t end) {
  while (next_ < end) {
    count_lanes();
    // Between the changes of shape, an operand that is written back ties time steps together.
    std::size_t last = next_;
    bool writes_back = false;
    while (last < end && is_lane_by_lane(v_.steps[last]))
      writes_back |= std::holds_alternative<program::WriteOperandStep>(v_.steps[last++].what);
    if (writes_back) {
      if (auto v = run_in_time(last); !v) return v;
      continue;
    }
    if (auto v = step(v_.steps[next_]); !v) return v;
    ++next_;
  }
  count_lanes();  // for an inter-slice reduce, which is the slices' common business and comes next
  return accept();
}

/// Flit by flit through all steps before `end`. Within a flit every read of VRF comes before every write.
Verdict VectorEngine::run_in_time(std::size_t end) {
  bool const was_floating = floating_;
  bool now_floating = floating_;
  struct Written {
    std::int64_t address;
    Word word;
  };
  std::vector<Written> written;
  for (std::int64_t flit = 0; flit < s_.packets; ++flit) {
    floating_ = was_floating;
    written.clear();
    for (std::size_t i = next_; i < end; ++i) {
      const Step& step = v_.steps[i];
      const auto* write = std::get_if<program::WriteOperandStep>(&step.what);
      if (write == nullptr) {
        each_flit_of(step, flit, flit + 1);
        continue;
      }
      for (std::int64_t lane = 0; lane < count(flit); ++lane) {
        std::size_t const at = s_.at(flit, lane);
        bool const unknown = write->ids != every_id && id_undefined_[at] != 0;
        if (!unknown && !is_meant(write->ids, id_[at])) continue;
        written.push_back(
            {address_of(write->to, position(flit, lane)), {s_.bits[at], static_cast<std::uint8_t>(s_.undefined[at] | (unknown ? 1 : 0))}});
      }
    }
    for (const Written& w : written) store(w.address, w.word);
    now_floating = floating_;
  }
  become(now_floating);
  next_ = end;
  return accept();
}

void VectorEngine::each_flit_of(const Step& step, std::int64_t begin, std::int64_t end) {
  if (const auto* o = std::get_if<program::OperateStep>(&step.what)) return operate(*o, begin, end);
  if (const auto* c = std::get_if<program::ConvertStep>(&step.what)) return convert(*c, begin, end);
  if (const auto* r = std::get_if<program::ReinterpretStep>(&step.what)) return become(r->to_float);
  // A stash. Flit by flit it is filled as the stream goes by.
  if (stash_.packets != s_.packets || stash_.lanes != s_.lanes) stash_.shape(s_.type, s_.packets, s_.lanes);
  for (std::int64_t flit = begin; flit < end; ++flit)
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      stash_.bits[s_.at(flit, lane)] = s_.bits[s_.at(flit, lane)];
      stash_.undefined[s_.at(flit, lane)] = s_.undefined[s_.at(flit, lane)];
    }
}

Verdict VectorEngine::step(const Step& step) {
  Verdict done = accept();
  std::visit(
      Overloaded{[&](const program::BranchStep& b) { std::visit([this](const auto& by) { branch(by); }, b.by); },
                 [&](const program::BranchLogStep& b) { log(b); },
                 [&](const program::OperateStep& o) { o.group == program::OperateStep::Group::Zip ? zip(o) : operate(o, 0, s_.packets); },
                 [&](const program::ConvertStep& c) { convert(c, 0, s_.packets); },
                 [&](const program::ReinterpretStep& r) { become(r.to_float); }, [&](const program::ReshapeStep& r) { reshape(r.width); },
                 [&](const program::StashStep&) { stash_ = s_; }, [&](const program::UnzipStep& u) { unzip(u); },
                 [&](const program::FilterStep& f) { done = filter(f, step.time_out); },
                 [&](const program::IntraSliceReduceStep& r) { reduce(r); }, [](const program::WriteOperandStep&) {},
                 [](const program::InterSliceReduceStep&) {}},
      step.what);
  return done;
}

// Registers.

VectorEngine::Word VectorEngine::load(const program::VrfWalk& walk, std::int64_t position) const {
  std::byte word[4];
  bool const defined = vrf_.read(address_of(walk, position), 4, word);
  return {load_scalar_bits(word, ScalarType::i32, 0), static_cast<std::uint8_t>(defined ? 0 : 1)};
}

void VectorEngine::store(std::int64_t address, const Word& word) {
  std::byte bytes[4];
  store_scalar_bits(bytes, ScalarType::i32, 0, word.bits);
  vrf_.write(address, 4, bytes);
  if (word.undefined != 0) vrf_.undefine(2 * address, 8);
}

VectorEngine::Word VectorEngine::operand(const program::OperandSlot& slot, std::int64_t flit, std::int64_t lane) const {
  if (std::holds_alternative<program::NoOperand>(slot.source)) return {};
  if (const auto* i = std::get_if<program::Immediate>(&slot.source)) return {i->bits, 0};
  if (const auto* walk = std::get_if<program::VrfWalk>(&slot.source)) return load(*walk, position(flit, lane));
  // Split and concat leave the order of elements as it is; trim and pad leave the flits.
  if (stash_.packets == s_.packets && lane >= stash_.lanes) return {0, 1};
  std::size_t const at = stash_.packets == s_.packets ? stash_.at(flit, lane) : s_.at(flit, lane);
  if (at >= stash_.bits.size()) return {0, 1};
  return {stash_.bits[at], stash_.undefined[at]};
}

// Steps that leave every lane in its place.

VectorEngine::Id VectorEngine::id_of(const program::Unconditional&, Lane) const { return {}; }
VectorEngine::Id VectorEngine::id_of(const program::Toggle& by, Lane at) const {
  std::int64_t const place = position(at.flit, at.lane);
  std::int64_t sum = by.start;
  for (const program::Toggle::Counter& c : by.counters) sum += (c.within == 0 ? place : place % c.within) / c.inside % c.size * c.weight;
  return {sum % 2 != 0 ? second_group : std::uint8_t{0}, 0};
}
VectorEngine::Id VectorEngine::id_of(const program::ByValidCount&, Lane at) const {
  return {at.lane < count(at.flit) ? std::uint8_t{1} : std::uint8_t{0}, 0};
}
VectorEngine::Id VectorEngine::id_of(const program::Comparisons& by, Lane at) const {
  std::size_t const element = s_.at(at.flit, at.lane);
  Id out{0, s_.undefined[element]};
  for (std::size_t c = 0; c < by.each.size(); ++c)
    if (holds(by.each[c], s_.bits[element], floating_, context_.numeric)) out.id = static_cast<std::uint8_t>(out.id | 1u << c);
  return out;
}
VectorEngine::Id VectorEngine::id_of(const program::VrfWalk& by, Lane at) const {
  Word const log = load(by, position(at.flit, at.lane));
  return {static_cast<std::uint8_t>(log.bits & 15), log.undefined};
}

template <class By>
void VectorEngine::branch(const By& by) {
  for (std::int64_t flit = 0; flit < s_.packets; ++flit)
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      Id const given = id_of(by, {flit, lane});
      id_[s_.at(flit, lane)] = given.id;
      id_undefined_[s_.at(flit, lane)] = given.undefined;
    }
}

void VectorEngine::operate(const program::OperateStep& step, std::int64_t begin, std::int64_t end) {
  using Group = program::OperateStep::Group;
  std::size_t const each = step.family == program::OperateStep::Family::FpTernary ? 2 : 1;
  bool const decides = step.group != Group::Both || (!step.operands.empty() && step.operands[0].ids != every_id);
  const char* const arguments = arguments_of(step);
  for (std::int64_t flit = begin; flit < end; ++flit)
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      std::size_t const at = s_.at(flit, lane);
      if (decides && id_undefined_[at] != 0) {
        s_.undefined[at] = 1;
        continue;
      }
      std::uint8_t const id = id_[at];
      bool const second = (id & second_group) != 0;
      if ((step.group == Group::Zero && second) || (step.group == Group::One && !second)) continue;
      Word from[3] = {{s_.bits[at], s_.undefined[at]}, {}, {}};
      std::size_t slot = 0;
      while (slot < step.operands.size() && !is_meant(step.operands[slot].ids, id)) slot += each;
      if (slot >= step.operands.size() && !step.operands.empty()) continue;  // no operand is for this lane
      for (std::size_t i = 0; i < each && slot + i < step.operands.size(); ++i) from[1 + i] = operand(step.operands[slot + i], flit, lane);
      std::uint32_t a[3] = {};
      std::uint8_t undefined = 0;
      for (int i = 0; arguments[i] != '\0'; ++i) {
        const Word& word = from[arguments[i] - '0'];
        a[i] = word.bits;
        undefined |= word.undefined;
      }
      s_.bits[at] = undefined != 0 ? 0 : computed(step, a[0], a[1], a[2], context_.numeric);
      s_.undefined[at] = undefined;
    }
}

void VectorEngine::convert(const program::ConvertStep& step, std::int64_t begin, std::int64_t end) {
  for (std::size_t at = s_.at(begin, 0); at < s_.at(end, 0); ++at)
    s_.bits[at] = step.to_float ? arithmetic::fxp_to_fp(i32::from_bits(s_.bits[at]), step.int_width).bits
                                : arithmetic::fp_to_fxp(f32::from_bits(s_.bits[at]), step.int_width, context_.numeric).bits;
  become(step.to_float);
}

void VectorEngine::become(bool floating) {
  floating_ = floating;
  s_.type = floating ? ScalarType::f32 : ScalarType::i32;
}

/// As an operand that is written back, ids are stored for valid lanes only.
void VectorEngine::log(const program::BranchLogStep& step) {
  for (std::int64_t flit = 0; flit < s_.packets; ++flit)
    for (std::int64_t lane = 0; lane < count(flit); ++lane)
      store(address_of(step.to, position(flit, lane)), {id_[s_.at(flit, lane)], id_undefined_[s_.at(flit, lane)]});
}

// Steps that change the shape of the stream.

void VectorEngine::unzip(const program::UnzipStep& step) {
  groups_ = true;
  alternate_ = step.alternate;
  for (std::int64_t flit = 0; flit < s_.packets; ++flit)
    std::fill_n(id_.begin() + static_cast<std::ptrdiff_t>(s_.at(flit, 0)), s_.lanes,
                flit / alternate_ % 2 != 0 ? second_group : std::uint8_t{0});
}

void VectorEngine::zip(const program::OperateStep& step) {
  Stream out;
  out.shape(s_.type, s_.packets / 2, s_.lanes);
  std::vector<std::uint8_t> counts(static_cast<std::size_t>(out.packets));
  const char* const arguments = arguments_of(step);
  for (std::int64_t t = 0; t < out.packets; ++t) {
    std::int64_t const first = t / alternate_ * 2 * alternate_ + t % alternate_, second = first + alternate_;
    counts[static_cast<std::size_t>(t)] = count_[static_cast<std::size_t>(first)];
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      std::size_t const from[2] = {s_.at(first, lane), s_.at(second, lane)};
      std::uint32_t a[2] = {};
      std::uint8_t undefined = 0;
      for (int i = 0; i < 2 && arguments[i] != '\0'; ++i) {
        a[i] = s_.bits[from[arguments[i] - '0']];
        undefined |= s_.undefined[from[arguments[i] - '0']];
      }
      out.bits[out.at(t, lane)] = undefined != 0 ? 0 : computed(step, a[0], a[1], 0, context_.numeric);
      out.undefined[out.at(t, lane)] = undefined;
    }
  }
  groups_ = false;
  s_ = std::move(out);
  count_ = std::move(counts);
  forget_ids();
}

void VectorEngine::reshape(program::ReshapeStep::Width width) {
  using Width = program::ReshapeStep::Width;
  std::int64_t const wide = context_.device.vector.lanes, narrow = context_.device.vector.narrow_lanes, per = wide / narrow;
  // Split and Concat leave every element where it is in the stream: only the flits are counted anew.
  std::vector<std::uint8_t> counts;
  if (width == Width::Split) {
    for (std::uint8_t n : count_)
      for (std::int64_t part = 0; part < per; ++part)
        counts.push_back(static_cast<std::uint8_t>(std::clamp<std::int64_t>(n - part * narrow, 0, narrow)));
    s_.packets *= per;
    s_.lanes = narrow;
    alternate_ *= per;
  } else if (width == Width::Concat) {
    for (std::size_t t = 0; t + 1 < count_.size(); t += 2) counts.push_back(static_cast<std::uint8_t>(count_[t] + count_[t + 1]));
    s_.packets /= per;
    s_.lanes = wide;
    alternate_ /= per;
  } else {
    std::int64_t const lanes = width == Width::Trim ? narrow : wide;
    Stream out;
    out.shape(s_.type, s_.packets, lanes);
    std::vector<std::uint8_t> id(out.bits.size(), 0), unknown(out.bits.size(), 0);
    for (std::int64_t flit = 0; flit < s_.packets; ++flit)
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        std::size_t const to = out.at(flit, lane);
        if (lane >= s_.lanes) {  // what is padded holds anything
          out.undefined[to] = 1;
          continue;
        }
        std::size_t const from = s_.at(flit, lane);
        out.bits[to] = s_.bits[from];
        out.undefined[to] = s_.undefined[from];
        id[to] = id_[from];
        unknown[to] = id_undefined_[from];
      }
    for (std::uint8_t n : count_) counts.push_back(static_cast<std::uint8_t>(std::min<std::int64_t>(n, lanes)));
    s_ = std::move(out);
    id_ = std::move(id);
    id_undefined_ = std::move(unknown);
  }
  count_ = std::move(counts);
}

Verdict VectorEngine::filter(const program::FilterStep& step, std::int64_t time_out) {
  Stream out;
  out.shape(s_.type, time_out, context_.device.vector.lanes);
  std::fill(out.undefined.begin(), out.undefined.end(), std::uint8_t{1});
  std::vector<std::uint8_t> ids(out.bits.size(), 0);
  std::size_t kept = 0;
  bool doubt = false;  // once it is not known whether a lane stays, nothing is known of what follows
  for (std::int64_t flit = 0; flit < s_.packets; ++flit)
    for (std::int64_t lane = 0; lane < count(flit); ++lane) {
      std::size_t const at = s_.at(flit, lane);
      doubt |= id_undefined_[at] != 0;
      if (doubt || !is_meant(step.ids, id_[at])) continue;
      if (kept == out.bits.size())
        return refuse("vector-filter-overflow", context_.at)
            .what("vector_filter keeps more than the ", kept, " lanes that its Time of ", time_out, " has room for, in slice ", slice_)
            .why("Time is the author's upper bound of what is kept")
            .help("declare a longer Time");
      out.bits[kept] = s_.bits[at];
      ids[kept] = id_[at];
      out.undefined[kept++] = s_.undefined[at];
    }
  if (step.count_to) store(step.count_to->address, {static_cast<std::uint32_t>(kept), static_cast<std::uint8_t>(doubt ? 1 : 0)});
  s_ = std::move(out);
  count_.assign(static_cast<std::size_t>(s_.packets), static_cast<std::uint8_t>(s_.lanes));
  forget_ids();
  id_ = std::move(ids);
  return accept();
}

}  // namespace tcp::sim
