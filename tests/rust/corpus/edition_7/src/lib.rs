//! Calls that editions up to 0.7 or 0.8 have: lifts, gathers in one call, shuffles of clusters.
use furiosa_opt_std::prelude::*;

pub mod lifted;
pub mod rows;

axes![C = 2, P = 256, W = 8];

type Chip = m![1];

/// What the other cluster holds.
#[device(chip = 1)]
pub fn other_cluster(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![C, P, W]>) -> HbmTensor<i32, Chip, m![C, P, W]> {
    let own: DmTensor<i32, Chip, m![C], m![P], m![W]> = x.to_dm(&mut ctx.tdma);
    let other = own.dm_cluster_shuffle([1, 0], &mut ctx.tdma);
    other.to_hbm(&mut ctx.tdma)
}
