//! Copies that each read a part of their own.
use super::*;

axes![A = 4, H = 2, S = 64, K = 2];

type Copies = DmTensor<f32, Chip, m![2], m![4, S], m![A, H, W]>;
type Parts = DmTensor<f32, Chip, m![H], m![A, S], m![W]>;

/// Slices take a step of A, clusters one of H.
#[device(chip = 1)]
pub fn by_slice_and_cluster(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, A, H, W]>) -> HbmTensor<f32, Chip, m![A, S, H, W]> {
    let copies: Copies = x.to_dm(&mut ctx.tdma);
    let parts: Parts = ctx
        .main
        .begin(copies.view())
        .fetch_cluster_lift::<m![H]>()
        .fetch_slice_lift::<m![A, S]>()
        .fetch::<m![1], m![W]>()
        .collect::<m![1], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, 0.5)
        .vector_final()
        .commit();
    parts.to_hbm(&mut ctx.tdma)
}

/// A lift may follow its fetch, and then says the Time that is left.
#[device(chip = 1)]
pub fn after_the_fetch(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, A, W]>) -> HbmTensor<i32, Chip, m![A, S, W]> {
    let copies: DmTensor<i32, Chip, m![1 # 2], m![4, S], m![A, W]> = x.to_dm(&mut ctx.tdma);
    let parts: DmTensor<i32, Chip, m![1 # 2], m![A, S], m![W]> = ctx
        .main
        .begin(copies.view())
        .fetch::<m![A], m![W]>()
        .fetch_slice_lift::<m![A, S], m![1]>()
        .collect::<m![1], m![W]>()
        .commit();
    parts.to_hbm(&mut ctx.tdma)
}

/// Both chips hold all of K, and each keeps its own.
#[device(chip = 2)]
pub fn by_chip(ctx: &mut Context, x: &HbmTensor<i32, m![2], m![P, K, W]>) -> HbmTensor<i32, m![K], m![P, W]> {
    let copies: DmTensor<i32, m![2], m![1 # 2], m![P], m![K, W]> = x.to_dm(&mut ctx.tdma);
    let own: DmTensor<i32, m![K], m![1 # 2], m![P], m![W]> = ctx
        .main
        .begin(copies.view())
        .fetch_chip_lift::<m![K]>()
        .fetch::<m![1], m![W]>()
        .collect::<m![1], m![W]>()
        .commit();
    own.to_hbm(&mut ctx.tdma)
}
