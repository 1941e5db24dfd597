use super::*;

pub fn scale(ctx: &mut Context, x: &OnChip, by: f32) -> OnChip {
    elementwise!(ctx, x, |s| s
        .vector_narrow_split::<m![Feature / 4], m![Feature % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), by)
        .vector_widen_concat::<m![Feature / 8], m![Feature % 8]>())
}

#[cfg(feature = "slow")]
#[device(chip = 1)]
pub fn not_built(ctx: &mut Context, x: &Missing) {}
