// SPM, the memory that the DMA engine of a cluster shares.
#include "tcp/rules/spm.hpp"
#include "helpers/kernels.hpp"
#include "helpers/text_kernel.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # spm-dmn-size
// Each DMN of a cluster has a scratchpad, so a tensor in SPM has a level Dmn where one in DM has Slice, with one position for each of the 8 DMNs. Pad it
// if fewer are used.
namespace spm_dmn_size {
TCP_AXES(A = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[spm-dmn-size]: Dmn must have 8 positions, one for each DMN of a cluster; m![A] has 4; help: pad it: A # 8
  return SpmTensor<i8, Chip, Cluster, m<A>, m<1>>::from_addr(0);
}

auto after(Context& ctx) { return SpmTensor<i8, Chip, Cluster, m<A.pad(8)>, m<1>>::from_addr(0); }
#endif
REFUSED(check_dmn_size(target, m<A>{}));
}  // namespace spm_dmn_size

// # spm-other-chip
// Scratchpads are for transfers within a chip. To bring a tensor to another chip, go by way of HBM or DM.
namespace spm_other_chip {
constexpr const char* before = R"(
module moved (chips: 4)
axes A = 512, B = 64, D = 4
hbm x: i8 Chip[4] Element[D, A, B] at 0
spm y: i8 Chip[D] Cluster[A / 256] Dmn[A / 32 % 8] Element[A % 32, B] at 0
move x -> y
)";
constexpr const char* after = R"(
module moved (chips: 4)
axes A = 512, B = 64, D = 4
hbm x: i8 Chip[D] Element[A, B] at 0
spm y: i8 Chip[D] Cluster[A / 256] Dmn[A / 32 % 8] Element[A % 32, B] at 0
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
                                      .set(Level::slice, m<A / 32 % 8>{})
                                      .set(Level::element, m<A % 32, B>{})};
REFUSED(check_transfer(target, ScalarType::i8, 4, in, out));
}  // namespace spm_other_chip

// # spm-too-large
// The scratchpad of a DMN is small. Its capacity is not published; the chip file has an assumption, which you can change there. Spread the tensor over
// Dmn, or keep it in DM.
namespace spm_too_large {
TCP_AXES(A = 2097152, B = 1048576);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[spm-too-large]: the scratchpad of a DMN holds 1048576 bytes; Element m![A] of i8 takes 2097152 bytes; help: spread more of the tensor over Dmn, or keep it in DM
  return SpmTensor<i8, Chip, Cluster, m<one.pad(8)>, m<A>>::from_addr(0);
}

auto after(Context& ctx) { return SpmTensor<i8, Chip, Cluster, m<one.pad(8)>, m<B>>::from_addr(0); }
#endif
REFUSED(check_spm(target, ScalarType::i8, m<A>{}, Bytes{0}));
}  // namespace spm_too_large
