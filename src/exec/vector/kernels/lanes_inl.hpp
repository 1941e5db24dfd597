// What the kernels say about vectors of f32 and i32, once for each target that Highway compiles for.
#if defined(TCP_VECTOR_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef TCP_VECTOR_LANES
#undef TCP_VECTOR_LANES
#else
#define TCP_VECTOR_LANES
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 16>;
using I = hn::CappedTag<std::int32_t, 16>;
using VF = hn::Vec<F>;
using VI = hn::Vec<I>;

HWY_INLINE const float* floats(const std::uint32_t* units) { return reinterpret_cast<const float*>(units); }
HWY_INLINE float* floats(std::uint32_t* units) { return reinterpret_cast<float*>(units); }
HWY_INLINE const std::int32_t* integers(const std::uint32_t* units) { return reinterpret_cast<const std::int32_t*>(units); }
HWY_INLINE std::int32_t* integers(std::uint32_t* units) { return reinterpret_cast<std::int32_t*>(units); }

/// How sums and products are made. `by_hand`: the processor does not flush for us.
template <bool by_hand>
struct Rounding {
  static HWY_INLINE VF result(VF x) {
    if constexpr (!by_hand) return x;
    F const d;
    return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-126f)), hn::CopySign(hn::Zero(d), x), x);
  }
  static HWY_INLINE VF sum(VF a, VF b) { return result(hn::Add(a, b)); }
  static HWY_INLINE VF product(VF a, VF b) { return result(hn::Mul(a, b)); }
};

/// The signed integer that orders like x; -0 lies below +0, and NaN below everything.
HWY_INLINE VI key(VF x) {
  I const d;
  VI const bits = hn::BitCast(d, x);
  VI const ordered = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, 0x7fffffff)));
  return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(x)), hn::Set(d, INT32_MIN), ordered);
}

}  // namespace
}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
