// SPM, the small memory of each PE.
#include "tcp/rules/spm.hpp"
#include "helpers/kernels.hpp"
#include "helpers/text_kernel.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;
using namespace tcp_refuse;

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
