// Finds the runs of DM that differ, once for a pass; reads them, adds and puts out the sums, once for a slice.
#include "sim/direct_contraction.hpp"

#include <algorithm>
#include <unordered_map>

namespace tcp::sim {

namespace {

/// The addresses of the runs that differ, and where in them the packet of each time step begins.
struct Shared {
  std::vector<std::int64_t> address;
  std::vector<std::uint32_t> packets, which;  // of the runs, in the order of the stream
};
Shared shared_runs(const FetchRuns& runs, std::int64_t run_elements, std::int64_t lanes, const std::vector<std::uint32_t>& packets) {
  Shared out{{}, packets, {}}, apart{{}, packets, {}};
  std::unordered_map<std::int64_t, std::uint32_t> known;
  Odometer<> walk = odometer_of(runs.loops);
  for (std::int64_t run = 0; run < runs.count; ++run, walk.next()) {
    auto const [found, fresh] = known.try_emplace(walk.at(), static_cast<std::uint32_t>(out.address.size()));
    if (fresh) out.address.push_back(walk.at());
    out.which.push_back(found->second);
    apart.address.push_back(walk.at());
    apart.which.push_back(static_cast<std::uint32_t>(run));
  }
  auto const elements = static_cast<std::uint32_t>(run_elements);
  for (std::uint32_t& begin : out.packets) {
    std::uint32_t const inside = begin % elements;
    if (inside + static_cast<std::uint32_t>(lanes) > elements) return apart;  // from several runs
    begin = out.which[begin / elements] * elements + inside;
  }
  return out;
}

}  // namespace

std::optional<DirectContraction> DirectContraction::of(const PassContext& context, const program::Exec& exec, const FetchAdapter& adapter,
                                                       const ContractionWalk* walk) {
  if (walk == nullptr || walk->chains() == nullptr || !has_runs(exec.fetch, adapter)) return {};
  const program::StreamAdapter& a = exec.contraction->adapter;
  if (a.transpose_rows * a.transpose_columns != 1) return {};
  std::int64_t const flit = context.flit_lanes(exec.fetch.type);
  if (exec.fetch.packet_elements != flit && (!exec.collect || exec.fetch.packet_elements != exec.collect->flits_per_packet * flit))
    return {};
  return DirectContraction(context, exec, *walk);
}

DirectContraction::DirectContraction(const PassContext& context, const program::Exec& exec, const ContractionWalk& walk)
    : c_(*exec.contraction),
      type_(exec.fetch.stored),
      base_(exec.fetch.read.base),
      each_(scalar_info(exec.fetch.stored).packet_bits / 8),
      run_bytes_(0),
      lanes_(context.device.contraction.mac_bytes.value * 8 / scalar_info(c_.type).packet_bits),
      flit_lanes_(context.flit_lanes(ScalarType::f32)),
      wide_(c_.type, context.numeric),
      weights_(context, c_),
      chains_([&] {
        FetchRuns const runs(exec.fetch.read);
        run_bytes_ = runs.bytes;
        Shared shared = shared_runs(runs, runs.bytes / each_, lanes_, walk.packets());
        address_ = std::move(shared.address);
        which_ = std::move(shared.which);
        return PlainChains(c_, walk, shared.packets);
      }()) {
  std::int64_t kept = 1;
  for (const program::TimeLoop& loop : c_.loops) kept *= loop.added ? 1 : loop.rounds;
  stored_.resize(static_cast<std::size_t>(run_bytes_));
  narrow_.resize(stored_.size() / static_cast<std::size_t>(each_));
  data_.resize(narrow_.size() * address_.size());
  sums_.resize(static_cast<std::size_t>(kept * plain_rows));
}

bool DirectContraction::read(const SparseMemory& dm, std::int64_t base) {
  std::uint32_t* to = data_.data();
  any_marks_ = false;
  for (std::int64_t address : address_) {
    if (!dm.read(base + address, run_bytes_, stored_.data())) {
      if (!any_marks_) marks_.assign(data_.size(), 0);
      any_marks_ = true;
      dm.mark_undefined(base + address, run_bytes_, each_, marks_.data() + (to - data_.data()));
    }
    if (type_ == ScalarType::bf16) {
      if (!widen_stored_bf16(stored_.data(), narrow_.size(), to)) return false;
    } else {
      widen(stored_.data(), run_bytes_, each_, narrow_.data());
      if (!wide_.all(narrow_.data(), narrow_.size(), to)) return false;
    }
    to += narrow_.size();
  }
  return true;
}

bool DirectContraction::run(Slice& slice, std::int64_t offset, Stream& out, std::int64_t& undefined_in) {
  if (!read(slice.dm, base_ + offset)) return false;
  weights_.load(slice.trf());
  if (!weights_.all_moderate()) return false;
  std::fill(sums_.begin(), sums_.end(), 0x80000000u);  // changes no sum
  chains_.add(static_cast<int>(lanes_), data_.data(), weights_.values(0), sums_.data());
  undefined_.assign(sums_.size(), 0);
  chains_.mark(lanes_, any_marks_ ? marks_.data() : nullptr, weights_.marks(), undefined_.data());
  put_out(out);
  if (any_marks_)
    for (auto const each_run = static_cast<std::ptrdiff_t>(narrow_.size()); std::uint32_t run : which_)
      undefined_in += std::count_if(marks_.begin() + run * each_run, marks_.begin() + (run + 1) * each_run,
                                    [](std::uint8_t mark) { return mark != 0; });
  return true;
}

/// As in contraction.cpp. Interleaved: the Rows of a kept step are a flit. Sequential: a flit for each, of one value.
void DirectContraction::put_out(Stream& out) const {
  std::int64_t const sums = static_cast<std::int64_t>(sums_.size());
  bool const whole = !c_.sequential && flit_lanes_ == plain_rows;
  out.shape(ScalarType::f32, c_.sequential ? sums : sums / plain_rows, flit_lanes_);
  if (whole) {
    std::copy(sums_.begin(), sums_.end(), out.bits.begin());
    std::copy(undefined_.begin(), undefined_.end(), out.undefined.begin());
    return;
  }
  for (std::int64_t i = 0; i < sums; ++i) {
    std::size_t const to = c_.sequential ? out.at(i, 0) : out.at(i / plain_rows, i % plain_rows);
    out.bits[to] = sums_[static_cast<std::size_t>(i)];
    out.undefined[to] = undefined_[static_cast<std::size_t>(i)];
  }
  if (c_.sequential) return;
  for (std::int64_t packet = 0; packet < out.packets; ++packet)
    for (std::int64_t lane = plain_rows; lane < flit_lanes_; ++lane) out.undefined[out.at(packet, lane)] = 1;
}

}  // namespace tcp::sim
