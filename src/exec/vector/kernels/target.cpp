// Asks the processor which instruction sets it has, selects among them, and sets rounding and flushing for the time
// of a computation.
#include "exec/vector/kernels/target.hpp"

#include <hwy/targets.h>

#include <atomic>

#if HWY_ARCH_X86
#include <immintrin.h>
#endif
#if HWY_ARCH_X86_64 && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tcp::vector::kernels {
namespace {

std::atomic<std::int64_t> usable{0};  // 0: not asked yet
enum class Amx : std::uint8_t { not_asked, no, yes };
std::atomic<Amx> amx{Amx::not_asked};

/// Linux wants to be asked for the registers before they are used, once for all threads.
bool has_amx() {
#if HWY_ARCH_X86_64 && defined(__linux__)
  constexpr unsigned leaf = 7, tiles = 1u << 24, of_i8 = 1u << 25;
  constexpr long request_permission = 0x1023, tile_data = 18;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0 || (d & tiles) == 0 || (d & of_i8) == 0) return false;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

}  // namespace

std::int64_t usable_targets() {
  std::int64_t known = usable.load(std::memory_order_relaxed);
  if (known == 0) {
    known = hwy::SupportedTargets();
    usable.store(known, std::memory_order_relaxed);
  }
  return known;
}

bool usable_amx() {
  Amx known = amx.load(std::memory_order_relaxed);
  if (known == Amx::not_asked) {
    known = has_amx() ? Amx::yes : Amx::no;
    amx.store(known, std::memory_order_relaxed);
  }
  return known == Amx::yes;
}

std::vector<Target> targets() {
  use({});
  std::vector<Target> all;
#if HWY_ARCH_X86
  if (usable_amx()) all.push_back({HWY_AVX3 | HWY_AVX3_DL, "AMX", true});
  if ((hwy::SupportedTargets() & HWY_AVX3_DL) != 0) all.push_back({HWY_AVX3 | HWY_AVX3_DL, "AVX3_DL"});
#endif
  for (std::int64_t const id : hwy::SupportedAndGeneratedTargets()) all.push_back({id, hwy::TargetName(id)});
  return all;
}

void use(Target target) {
  hwy::SetSupportedTargetsForTest(target.id == 0 ? 0 : target.id | HWY_STATIC_TARGET);
  usable.store(0, std::memory_order_relaxed);
  amx.store(target.id == 0 ? Amx::not_asked : target.amx ? Amx::yes : Amx::no, std::memory_order_relaxed);
}

#if HWY_ARCH_X86

RoundingScope::RoundingScope(NumericModel model, Flushing flushing) : before_(_mm_getcsr()) {
  constexpr std::uint32_t no_exceptions = 0x1f80, operands_are_zero = 0x0040, results_to_zero = 0x8000;
  std::uint32_t const flush = flushing == Flushing::operands ? operands_are_zero : operands_are_zero | results_to_zero;
  std::uint32_t const wanted = no_exceptions | (model == NumericModel::rngd ? flush : 0);
  // Setting it is expensive; within another scope it is mostly set already.
  constexpr std::uint32_t raised = 0x3f;
  changed_ = (before_ & ~raised) != wanted;
  if (changed_) _mm_setcsr(wanted);
}
RoundingScope::~RoundingScope() {
  if (changed_) _mm_setcsr(before_);
}
bool RoundingScope::flushes() { return true; }

#else

RoundingScope::RoundingScope(NumericModel, Flushing) : before_(0) {}
RoundingScope::~RoundingScope() = default;
bool RoundingScope::flushes() { return false; }

#endif

}  // namespace tcp::vector::kernels
