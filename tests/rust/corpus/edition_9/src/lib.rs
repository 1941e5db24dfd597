//! The words of edition 0.9: gathers that are said in parts, scatter with its axis, swaps.
use furiosa_opt_std::prelude::*;

axes![V = 512, T = 256, D = 64, C = 2, P = 256, W = 8, K = 4, U = 2];

type Chip = m![1];
type Cluster = m![1 # 2];
type Table = HbmTensor<f32, Chip, m![V, D]>;
type Tokens = HbmTensor<i32, Chip, m![T]>;

/// Numbers from 0 to 511, times the scale.
fn index_of<const SCALE: usize>(ctx: &mut Device, raw: &Tokens) -> Tokens {
    let raw: DmTensor<i32, Chip, Cluster, m![1 # 256], m![T]> = raw.to_dm(&mut ctx.tdma);
    let index: DmTensor<i32, Chip, Cluster, m![1 # 256], m![T]> = ctx
        .main
        .begin(raw.view())
        .fetch::<m![1], m![T]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_logic(LogicBinaryOpI32::BitAnd, 511)
        .vector_fxp(FxpBinaryOp::MulInt, SCALE as i32)
        .vector_final()
        .commit();
    index.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn gather_rows(ctx: &mut Device, table: &Table, raw: &Tokens) -> HbmTensor<f32, Chip, m![T, D]> {
    let index = index_of::<1>(ctx, raw);
    let rows: DmTensor<f32, Chip, Cluster, m![T], m![D]> = table.gather::<V, m![D]>().by_positions(&index).to_dm();
    rows.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn gather_bytes(ctx: &mut Device, table: &Table, raw: &Tokens) -> HbmTensor<f32, Chip, m![T, D]> {
    let index = index_of::<256>(ctx, raw);
    table.gather::<V, m![D]>().by_byte_offsets(&index).to_hbm()
}

/// As many rows as the launch says, and the first four of them.
#[device(chip = 1)]
pub fn first_rows(ctx: &mut Device, table: &Table, raw: &Tokens, count: HbmScalar<i32>) -> HbmTensor<f32, Chip, m![T = 4, D]> {
    let index = index_of::<1>(ctx, raw);
    let rows: DmTensor<f32, Chip, Cluster, m![1 # 256], m![T, D]> =
        table.gather::<V, m![D]>().by_positions(&index).sparse_prefix(3 + count.value() as usize).to_dm();
    let four = rows.view().tile::<m![T], 4, m![T = 4 # 256, D]>(0);
    four.to_hbm(&mut ctx.tdma)
}

/// Rows 1 and 2 of the table become -2.25.
#[device(chip = 1)]
pub fn scatter_rows(ctx: &mut Device, table: &mut Table) {
    let mut index: DmTensor<i32, Chip, Cluster, m![1 # 256], m![U]> = DmTensor::new();
    #[unroll]
    for u in 0..U::SIZE {
        index.view_mut().tile::<m![U], 1, _>(u).memset(1 + u as i32, &mut ctx.sub);
    }
    let index: HbmTensor<i32, Chip, m![U]> = index.to_hbm(&mut ctx.tdma);
    let mut rows: DmTensor<f32, Chip, Cluster, m![1 # 256], m![U, D]> = DmTensor::new();
    rows.memset(-2.25, &mut ctx.sub);
    rows.view().scatter::<V>(&index, table.view_mut());
}

#[device(chip = 1)]
pub fn swap(ctx: &mut Device, x: &HbmTensor<i32, Chip, m![C, P, W]>) -> HbmTensor<i32, Chip, m![C, P, W]> {
    let own: DmTensor<i32, Chip, m![C], m![P], m![W]> = x.to_dm(&mut ctx.tdma);
    own.cluster_swap().to_hbm(&mut ctx.tdma)
}

/// Each chip takes what the next one has, through a VRF that the sub context fills.
#[device(chip = 4)]
pub fn with_the_next(ctx: &mut Device, x: &HbmTensor<i32, m![K], m![P, W]>) -> HbmTensor<i32, m![K], m![P, W]> {
    let own: DmTensor<i32, m![K], Cluster, m![P], m![W]> = x.to_dm(&mut ctx.tdma);
    let next = own.chip_shuffle([1, 2, 3, 0]);
    let next: VrfTensor<i32, m![K], Cluster, m![P], m![W]> =
        ctx.sub.begin(next.view()).fetch::<m![1], m![W]>().collect::<m![1], m![W]>().to_vrf(&mut ctx.sub);
    let sum: DmTensor<i32, m![K], Cluster, m![P], m![W]> = ctx
        .main
        .begin(own.view())
        .fetch::<m![1], m![W]>()
        .collect::<m![1], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, &next)
        .vector_final()
        .commit();
    sum.to_hbm(&mut ctx.tdma)
}

/// What a launch brings along decides, and says how often.
#[device(chip = 1)]
pub fn as_the_launch_says(ctx: &mut Device, x: &HbmTensor<i32, Chip, m![P, W]>, twice: HbmScalar<bool>, rounds: HbmScalar<i32>) -> HbmTensor<i32, Chip, m![P, W]> {
    let mut now: DmTensor<i32, Chip, Cluster, m![P], m![W]> = x.to_dm(&mut ctx.tdma);
    let by = if twice.value() { 2 } else { 3 };
    for _ in 0..rounds.value() + 1 {
        now = ctx
            .main
            .begin(now.view())
            .fetch::<m![1], m![W]>()
            .collect::<m![1], m![W]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::MulInt, by)
            .vector_final()
            .commit();
    }
    now.to_hbm(&mut ctx.tdma)
}
