//! Rows by number, in the words of the editions before 0.9.
use super::*;

axes![V = 512, T = 256, D = 64, U = 4];

type Cluster = m![1 # 2];
type Slice = m![T];
type Table = HbmTensor<f32, Chip, m![V, D]>;
type Tokens = HbmTensor<i32, Chip, m![T]>;
type Rows = DmTensor<f32, Chip, Cluster, Slice, m![D]>;

const ROW_BYTES: i32 = 256;

/// Numbers from 0 to 511, scaled.
macro_rules! index_of {
    ($ctx:ident, $raw:expr, $scale:expr) => {{
        let raw: DmTensor<i32, Chip, Cluster, m![1 # 256], m![T]> = $raw.to_dm(&mut $ctx.tdma);
        let index: DmTensor<i32, Chip, Cluster, m![1 # 256], m![T]> = $ctx
            .main
            .begin(raw.view())
            .fetch::<m![1], m![T]>()
            .collect::<m![T / 8], m![T % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_logic(LogicBinaryOpI32::BitAnd, 511)
            .vector_fxp(FxpBinaryOp::MulInt, $scale)
            .vector_final()
            .commit();
        let index: Tokens = index.to_hbm(&mut $ctx.tdma);
        index
    }};
}

#[device(chip = 1)]
pub fn by_position(ctx: &mut Context, table: &Table, raw: &Tokens) -> HbmTensor<f32, Chip, m![T, D]> {
    let index = index_of!(ctx, raw, 1);
    let rows: Rows = table.dma_gather(&index, &mut ctx.tdma);
    rows.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn by_offset(ctx: &mut Context, table: &Table, raw: &Tokens) -> HbmTensor<f32, Chip, m![T, D]> {
    let index = index_of!(ctx, raw, ROW_BYTES);
    let rows: Rows = table.dma_gather_unscaled(&index, &mut ctx.tdma);
    rows.to_hbm(&mut ctx.tdma)
}

/// Overwrites rows 0, 100, 200 and 300, whose numbers are made one by one.
#[device(chip = 1)]
pub fn mark(ctx: &mut Context, table: &mut Table) {
    let mut index: DmTensor<i32, Chip, Cluster, m![1 # 256], m![U]> = DmTensor::new();
    for u in 0..U::SIZE {
        index.view_mut().tile::<m![U], 1, _>(u).memset(100 * u as i32, &mut ctx.sub);
    }
    let index: HbmTensor<i32, Chip, m![U]> = index.to_hbm(&mut ctx.tdma);
    let mut rows: DmTensor<f32, Chip, Cluster, m![1 # 256], m![U, D]> = DmTensor::new();
    rows.view_mut().memset(7.5, &mut ctx.sub);
    rows.view().dma_scatter(&index, table.view_mut(), &mut ctx.tdma);
}
