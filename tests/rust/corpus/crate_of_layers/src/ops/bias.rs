use super::elementwise;
use crate::axes::{self, Activations, Chip, Cluster, Feature, OnChip, Slice, Token};
use furiosa_opt_std::prelude::*;

pub fn bias(ctx: &mut Context, x: &OnChip, by: &OnChip) -> OnChip {
    let by: VrfTensor<f32, Chip, Cluster, Slice, m![Feature]> = ctx
        .sub
        .begin(by.view())
        .fetch::<m![Feature / 8], m![Feature % 8]>()
        .collect::<m![Feature / 8], m![Feature % 8]>()
        .to_vrf();
    elementwise!(ctx, x, |s| s.vector_clip(ClipBinaryOpF32::Add, &by))
}

/// In place: x += by.
#[device(chip = 1)]
pub fn add_into(ctx: &mut Context, x: &mut axes::Activations, by: &axes::Activations) {
    let now: OnChip = x.to_dm(&mut ctx.tdma);
    let by: OnChip = by.to_dm(&mut ctx.tdma);
    let sum = bias(ctx, &now, &by);
    sum.view().to_hbm_view(&mut ctx.tdma, x.view_mut());
}
