// Memories have sizes, and addresses have alignments: what tensors may be placed where, SPM of each PE included; and the models of the
// banks of DM and of the channels of HBM, which the timing model `detailed` asks access by access.
#include "tcp/rules/memory.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"
#include "tcp/sim/detailed.hpp"
#include "tcp/sim/dm_banks.hpp"
#include "tcp/sim/hbm.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # memory-address-misaligned
// An element is at a multiple of its own size, so that it never spreads over two rows of a bank. A tensor's first element is its address.
namespace memory_address_misaligned {
constexpr const char* before = R"(
axes B = 512
hbm x: f32 Element[B] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[B] at 4098
move x -> y
)";
constexpr const char* after = R"(
axes B = 512
hbm x: f32 Element[B] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[B] at 4104
move x -> y
)";
// error[memory-address-misaligned]: elements of f32 are stored at multiples of 4 bytes; the address is 4098; help: use 4100
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(B = 512);
REFUSED(check_dm(target, ScalarType::f32, m<B>{}, Bytes{4098}));
}  // namespace memory_address_misaligned

// # memory-address-negative
// Addresses count bytes from the beginning of a memory.
namespace memory_address_negative {
constexpr const char* before = R"(
axes B = 512
hbm x: i8 Element[B] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B] at -8
move x -> y
)";
constexpr const char* after = R"(
axes B = 512
hbm x: i8 Element[B] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B] at 0
move x -> y
)";
// error[memory-address-negative]: the address -8 is before the memory; help: use an address from 0 on
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(B = 512);
REFUSED(check_dm(target, ScalarType::i8, m<B>{}, Bytes{-8}));
}  // namespace memory_address_negative

// # memory-address-overflow
// Addresses are 64-bit numbers. The end of this tensor is none.
// no kernel: every memory ends far below such addresses: `memory-beyond-end`
namespace memory_address_overflow {
TCP_AXES(B = 512);
// error[memory-address-overflow]: a tensor at 9223372036854775296 ends beyond 64 bits; help: use an address inside the memory
REFUSED(extent_at(ScalarType::i8, m<B>{}, Bytes{INT64_MAX - 511}));
}  // namespace memory_address_overflow

// # memory-beyond-end
// A tensor at an address takes the bytes from there on, and they must all be in the memory. The tensor here is small enough for a slice of DM, but not at this
// address.
namespace memory_beyond_end {
constexpr const char* before = R"(
axes B = 512
hbm x: bf16 Element[B] at 0
dm y: bf16 Cluster[1 # 2] Slice[1 # 256] Element[B] at 523776
move x -> y
)";
constexpr const char* after = R"(
axes B = 512
hbm x: bf16 Element[B] at 0
dm y: bf16 Cluster[1 # 2] Slice[1 # 256] Element[B] at 523264
move x -> y
)";
// error[memory-beyond-end]: a tensor of 1024 bytes at 523776 ends beyond the 524288 bytes of a slice of DM; help: use an address up to 523264
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(B = 512);
REFUSED(check_dm(target, ScalarType::bf16, m<B>{}, Bytes{524288 - 512}));
}  // namespace memory_beyond_end

// # memory-chip-size
// All chips of a kernel run the same commands. A tensor's Chip mapping says which part of it each chip holds, so it has one position for each chip, padded if the
// tensor does not need all of them: `m<one.pad(4)>`.
namespace memory_chip_size {
constexpr const char* before = R"(
module spread (chips: 4)
axes A = 8, B = 512
hbm x: i8 Chip[A] Element[B] at 0
hbm y: i8 Chip[A] Element[B] at 4096
move x -> y
)";
constexpr const char* after = R"(
module spread (chips: 8)
axes A = 8, B = 512
hbm x: i8 Chip[A] Element[B] at 0
hbm y: i8 Chip[A] Element[B] at 4096
move x -> y
)";
// error[memory-chip-size]: Chip must have 4 positions, one for each chip; m![A] has 8; help: move the outer part of it to another level
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 8);
REFUSED(check_chip_size(target, 4, m<A>{}));
}  // namespace memory_chip_size

// # memory-cluster-size
// A chip has two clusters, and both run every command. The Cluster mapping has one position for each; a tensor that lives in one cluster only pads it:
// `m<one.pad(2)>`. The device `logical` has no such geometry.
namespace memory_cluster_size {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[memory-cluster-size]: Cluster must have 2 positions, one for each cluster; m![1] has 1; help: pad it: 1 # 2
  return in.to_dm<m<1>, m<A / 8>, m<A % 8>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) { return in.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(ctx.tdma, 0); }
#endif
REFUSED(check_cluster_size(target, m<1>{}));
}  // namespace memory_cluster_size

// # memory-dm-too-large
// Each slice has 512 KiB of DM. What must fit is Element, the part of the tensor that one slice holds, padding included. Spread the tensor over more slices (a larger
// part of it in Slice, less in Element), use a smaller type, or work on one tile after the other.
namespace memory_dm_too_large {
TCP_AXES(A = 1024, B = 512);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[memory-dm-too-large]: a slice of DM holds 524288 bytes; Element m![A, B] of bf16 takes 1048576 bytes; help: spread more of the tensor over Slice, or work on a tile of it
  return in.to_dm<Cluster, Idle, m<A, B>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& in) { return in.to_dm<Cluster, m<A / 4>, m<A % 4, B>>(ctx.tdma, 0); }
#endif
REFUSED(check_dm(target, ScalarType::bf16, m<A, B>{}, Bytes{0}));
}  // namespace memory_dm_too_large

// # memory-hbm-too-large
// A chip of RNGD has 48 GiB of HBM. Element is the part of the tensor that one chip holds; spread the tensor over more chips, or use a smaller type.
namespace memory_hbm_too_large {
TCP_AXES(A = 131072, B = 131072);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[memory-hbm-too-large]: the HBM of a chip holds 51539607552 bytes; Element m![A, B] of f32 takes 68719476736 bytes; help: work on a part of it, or spread it over more chips
  return HbmTensor<f32, Chip, m<A, B>>::from_addr(0);
}

auto after(Context& ctx) { return HbmTensor<bf16, Chip, m<A / 2, B>>::from_addr(0); }
#endif
REFUSED(check_hbm(target, ScalarType::f32, m<A, B>{}, Bytes{0}));
}  // namespace memory_hbm_too_large

// # memory-slice-size
// A cluster has 256 slices, each with its own part of DM and its own lane through the engines. The Slice mapping has one position for each; slices without data are
// padding: `m<(X / 64).pad(256)>`. The device `logical` has no such geometry.
namespace memory_slice_size {
TCP_AXES(X = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<X>>& in) {
  // error[memory-slice-size]: Slice must have 256 positions, one for each slice; m![X / 64] has 32; help: pad it: X / 64 # 256
  return in.to_dm<Cluster, m<X / 64>, m<X % 64>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<X>>& in) { return in.to_dm<Cluster, m<(X / 64).pad(256)>, m<X % 64>>(ctx.tdma, 0); }
#endif
REFUSED(check_slice_size(target, m<X / 64>{}));
}  // namespace memory_slice_size

// # memory-trf-rows
// The rows of the TRF feed the MAC rows of the Contraction Engine, which works with 1, 2, 4 or 8 of them. Other numbers of rows are padded to the next of these.
namespace memory_trf_rows {
TCP_AXES(J = 6, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<J, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<J>, m<K>>()
      .collect<m<J, K / 16>, m<K % 16>>()
      // error[memory-trf-rows]: Row m![J] has 6 positions; the TRF is read by 1, 2, 4, 8 rows; help: pad Row to the next of these, or move a part of it to Element
      .to_trf<m<J>, m<K>>(TrfAddress::Full);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<J, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<bf16, m<J.pad(8)>, m<K>>().collect<m<J.pad(8), K / 16>, m<K % 16>>().to_trf<m<J.pad(8)>, m<K>>(
      TrfAddress::Full);
}
#endif
REFUSED(check_trf(target, ScalarType::bf16, m<J>{}, m<K>{}, TrfAddress::Full));
}  // namespace memory_trf_rows

// # memory-trf-too-large
// The TRF of a slice holds 64 KiB over all its rows, or 32 KiB in each half when it is used as a double buffer. What counts is Row times Element. Hold fewer elements
// at a time, or spread the tensor over more slices.
namespace memory_trf_too_large {
TCP_AXES(J = 64, K = 8192);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<J % 8, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<J % 8>, m<K>>()
      .collect<m<J % 8, K / 16>, m<K % 16>>()
      // error[memory-trf-too-large]: the TRF of a slice holds 65536 bytes; 8 rows of Element m![K] of bf16 take 131072 bytes; help: spread more of the tensor over Slice, or work on a tile of it
      .to_trf<m<J % 8>, m<K>>(TrfAddress::Full);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<J % 8, K % 4096>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<J % 8>, m<K % 4096>>()
      .collect<m<J % 8, K % 4096 / 16>, m<K % 16>>()
      .to_trf<m<J % 8>, m<K % 4096>>(TrfAddress::Full);
}
#endif
REFUSED(check_trf(target, ScalarType::bf16, m<J % 8>{}, m<K>{}, TrfAddress::Full));
}  // namespace memory_trf_too_large

// # memory-vrf-too-large
// The VRF of a slice holds 8 KiB: 2048 elements of i32 or f32, say. It is meant for operands that are used again and again, such as a bias for each channel; larger
// operands are streamed.
namespace memory_vrf_too_large {
TCP_AXES(A = 2049, B = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<f32, m<1>, m<A.pad(2056)>>()
      .collect<m<A.pad(2056) / 8>, m<A.pad(2056) % 8>>()
      // error[memory-vrf-too-large]: the VRF of a slice holds 8192 bytes; Element m![A # 2056] of f32 takes 8224 bytes; help: spread more of the tensor over Slice, or work on a tile of it
      .to_vrf<m<A.pad(2056)>>(0);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<B>>& in) {
  return ctx.sub.begin(in.view()).fetch<f32, m<1>, m<B>>().collect<m<B / 8>, m<B % 8>>().to_vrf<m<B>>(0);
}
#endif
// error[memory-vrf-too-large]: the VRF of a slice holds 8192 bytes; Element m![A] of f32 takes 8196 bytes; help: spread more of the tensor over Slice, or work on a tile of it
REFUSED(check_vrf(target, ScalarType::f32, m<A>{}, Bytes{0}));
}  // namespace memory_vrf_too_large

// # memory-write-misaligned
// DM is written in whole rows of 8 bytes. A tensor that a commit or a DMA writes to therefore begins at a multiple of 8, even if its elements are smaller. One that is
// only read may begin anywhere that suits its elements.
namespace memory_write_misaligned {
constexpr const char* before = R"(
axes B = 512
hbm x: i8 Element[B] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B] at 4100
move x -> y
)";
constexpr const char* after = R"(
axes B = 512
hbm x: i8 Element[B] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B] at 4104
move x -> y
)";
// error[memory-write-misaligned]: writes begin at multiples of 8 bytes; the address is 4100; help: use 4104
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(B = 512);
REFUSED(check_dm_write(target, ScalarType::i8, m<B>{}, Bytes{4100}));
}  // namespace memory_write_misaligned

// # spm-pe-size
// Each PE of a cluster, 64 slices, has a scratchpad, so a tensor in SPM has a level Pe where one in DM has Slice, with one position for each of the 4
// PEs. Pad it if fewer are used.
namespace spm_pe_size {
TCP_AXES(A = 2);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[spm-pe-size]: Pe must have 4 positions, one for each PE of a cluster; m![A] has 2; help: pad it: A # 4
  return SpmTensor<i8, Chip, Cluster, m<A>, m<1>>::from_addr(0);
}

auto after(Context& ctx) { return SpmTensor<i8, Chip, Cluster, m<A.pad(4)>, m<1>>::from_addr(0); }
#endif
REFUSED(check_pe_size(target, m<A>{}));
}  // namespace spm_pe_size

// # spm-other-chip
// Scratchpads are for transfers within a chip. To bring a tensor to another chip, go by way of HBM or DM.
namespace spm_other_chip {
constexpr const char* before = R"(
module moved (chips: 4)
axes A = 512, B = 64, D = 4
hbm x: i8 Chip[4] Element[D, A, B] at 0
spm y: i8 Chip[D] Cluster[A / 256] Pe[A / 64 % 4] Element[A % 64, B] at 0
move x -> y
)";
constexpr const char* after = R"(
module moved (chips: 4)
axes A = 512, B = 64, D = 4
hbm x: i8 Chip[D] Element[A, B] at 0
spm y: i8 Chip[D] Cluster[A / 256] Pe[A / 64 % 4] Element[A % 64, B] at 0
move x -> y
)";
// error[spm-other-chip]: Chip changes from m![4] to m![D]; a scratchpad is reached from its own chip only; help: go by way of HBM or DM
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 512, B = 64, D = 4);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<4>{}).set(Level::element, m<D, A, B>{})};
constexpr DmaTensor out{.memory = Memory::Spm,
                        .levels = Levels{}
                                      .set(Level::chip, m<D>{})
                                      .set(Level::cluster, m<A / 256>{})
                                      .set(Level::slice, m<A / 64 % 4>{})
                                      .set(Level::element, m<A % 64, B>{})};
REFUSED(check_transfer(target, ScalarType::i8, 4, in, out));
}  // namespace spm_other_chip

// # spm-too-large
// The scratchpad is small: 4,096 bytes for each PE. Spread the tensor over Pe, or keep it in DM.
namespace spm_too_large {
TCP_AXES(A = 4097, B = 4096);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[spm-too-large]: the scratchpad of a PE holds 4096 bytes; Element m![A] of i8 takes 4097 bytes; help: spread more of the tensor over Pe, or keep it in DM
  return SpmTensor<i8, Chip, Cluster, m<one.pad(4)>, m<A>>::from_addr(0);
}

auto after(Context& ctx) { return SpmTensor<i8, Chip, Cluster, m<one.pad(4)>, m<B>>::from_addr(0); }
#endif
REFUSED(check_spm(target, ScalarType::i8, m<A>{}, Bytes{0}));
}  // namespace spm_too_large

// # dm-access-size
// An engine reaches each bank of a slice at most once per cycle: 128 bytes, less if they do not begin at a row of 8 bytes. DMA sends requests of at most
// 256 bytes.
// run time only: accesses are made while a program is simulated
// no kernel: a model of timing asks it of accesses
namespace dm_access_size {
// error[dm-access-size]: main fetch of command 3 accesses 256 bytes at 0: an access has from 1 to 128 bytes; help: split it into accesses of at most 128 bytes that begin at a row
REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 0, .address = Bytes{0}, .size = Bytes{256}, .client = sim::DmClient::main_fetch, .command = 3}).refusal();
}
}  // namespace dm_access_size

// # dm-access-slice
// The model of DM's banks serves one PE: the 64 slices of a pair of DMNs. A chip has eight of them, and a slice of a cluster belongs to the PE of its
// number divided by 64.
// run time only: accesses are made while a program is simulated
// no kernel: a model of timing asks it of accesses
namespace dm_access_slice {
// error[dm-access-slice]: command 3 accesses slice 64: a PE has the slices 0 to 63; help: give the access to the model of its PE, with a slice below 64
REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  return banks.issue({.slice = 64, .address = Bytes{0}, .size = Bytes{8}, .command = 3}).refusal();
}
}  // namespace dm_access_slice

// # dm-response-timeout
// DMA has the lowest priority in a bank of DM. A request of DMA that gets no answer for 4,096 cycles is an error of the network between them; a chip resets
// the cluster, and all that it has computed is lost.
//
// It happens when fetches and commits access one bank again and again while DMA wants it: 64 accesses in a row can be enough, and those of commands that
// run at the same time add up. A schedule that keeps the rule lets such commands wait for each other; this is what happens without.
// run time only: who waits for whom is known when a program is simulated
// no kernel: a model of timing asks it of accesses
namespace dm_response_timeout {
// error[dm-response-timeout]: DMA command 9 has no answer from slice 5 after 4096 cycles: main fetch of command 4 holds bank 0; help: let command 9 run before or after command 4, or give command 4 fewer than 64 accesses in a row to one bank
REFUSED_AT_RUN_TIME {
  sim::DmBanks banks(rngd);
  if (auto r = banks.issue({.slice = 5, .address = Bytes{0}, .size = Bytes{256}, .client = sim::DmClient::dma, .command = 9}); !r)
    return r.refusal();
  while (true) {
    if (auto r = banks.issue({.slice = 5, .address = Bytes{0}, .size = Bytes{8}, .client = sim::DmClient::main_fetch, .command = 4}); !r)
      return r.refusal();
    if (Verdict v = banks.step(); !v) return v.refusal();
  }
}
}  // namespace dm_response_timeout

// # hbm-request-size
// HBM transfers units of 256 bytes. The model of its channels takes one request at a time: at least one byte, and no more than a unit, though it may
// extend across two of them. DMA cuts longer packets into such requests itself.
// run time only: requests are made while a program is simulated
// no kernel: a model of timing asks it of requests
namespace hbm_request_size {
// error[hbm-request-size]: a request for 512 bytes of HBM at 4096: a request has from 1 to 256 bytes; help: split the transfer into requests of at most 256 bytes
REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  return hbm.submit({.address = Bytes{4096}, .size = Bytes{512}}).refusal();
}
}  // namespace hbm_request_size

// # hbm-request-time
// What a channel of HBM does is worked out up to the latest arrival and not taken back: a request can not arrive before one that was submitted
// earlier. Where several requesters send, submit their requests merged by arrival.
// run time only: requests are made while a program is simulated
// no kernel: a model of timing asks it of requests
namespace hbm_request_time {
// error[hbm-request-time]: a request arrives at cycle 99: the one before it arrived at 100, and the last cycle is 1125899906842624; help: submit requests in the order of their arrival
REFUSED_AT_RUN_TIME {
  sim::Hbm hbm(rngd);
  if (auto first = hbm.submit({.address = Bytes{0}, .size = Bytes{256}, .arrival = Cycles{100}}); !first) return first.refusal();
  return hbm.submit({.address = Bytes{256}, .size = Bytes{256}, .arrival = Cycles{99}}).refusal();
}
}  // namespace hbm_request_time

// # detailed-context-not-taken
// The main and the sub context have a fetch and a commit engine each. A command that works in a context also occupies it; lowering sees to that. Of a program that was
// written by other means the model `detailed` asks for it, because two commands in one context could not be told apart.
// run time only: what a command occupies is known when it was lowered
// no kernel: a model of timing asks it of programs
namespace detailed_context_not_taken {
// error[detailed-context-not-taken]: command 0 works in the sub context without occupying it; help: set its resources, as lowering does
REFUSED_AT_RUN_TIME {
  program::Itos word;
  word.units.chips = {true};
  program::Program p;
  p.chip = "rngd";
  p.commands.resize(1);
  p.commands[0].what = word;
  p.commands[0].resources = bit(program::Resource::Main);
  return sim::run_detailed(p, rngd).refusal();
}
}  // namespace detailed_context_not_taken
