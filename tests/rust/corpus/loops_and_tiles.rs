// Loops with constant bounds, tiles, constant conditions, tuples, arrays, structures, constant functions.
use vendor_std::prelude::*;

axes![A = 2048, B = 8, T = 4];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];

const STEP: usize = 2;

const fn rounds(size: usize, step: usize) -> usize {
    if step == 0 {
        return 0;
    }
    let mut n = 0;
    let mut at = 0;
    while at < size {
        n += 1;
        at += step;
    }
    n
}

pub struct Pair<E: M> {
    pub first: HbmTensor<i32, Chip, E>,
    pub second: HbmTensor<i32, Chip, E>,
}

impl<E: M> Pair<E> {
    pub fn both(&self) -> usize {
        2
    }
}

fn plus(ctx: &mut Context, x: DmTensorView<'_, i32, Chip, Cluster, Slice, m![B = 2 # 8, A % 8]>, n: i32) -> DmTensor<i32, Chip, Cluster, Slice, m![B = 2, A % 8]> {
    ctx.main
        .begin(x)
        .fetch::<m![B = 2], m![A % 8]>()
        .collect::<m![B = 2], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, n)
        .vector_final()
        .commit()
}

/// A tile after the other into a tensor made with new: all of it is written, and no zeros are needed.
#[device(chip = 1)]
fn tile_by_tile(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![B, A]>) -> HbmTensor<i32, Chip, m![B, A]> {
    let dm: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = x.to_dm(&mut ctx.tdma);
    let mut out: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = DmTensor::new();
    for i in 0..rounds(B::SIZE, STEP) {
        let tile = dm.view().tile::<m![B], 2, m![B = 2 # 8, A % 8]>(i * STEP);
        ctx.main
            .begin(tile)
            .fetch::<m![B = 2], m![A % 8]>()
            .collect::<m![B = 2], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, 10 * i as i32)
            .vector_final()
            .commit_view(out.view_mut().tile::<m![B], 2, m![B = 2 # 8, A % 8]>(i * STEP));
    }
    out.to_hbm(&mut ctx.tdma)
}

/// Only half of it is written: the rest is zero, as there.
#[device(chip = 1)]
fn half_written(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![B, A]>) -> HbmTensor<i32, Chip, m![B, A]> {
    let dm: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = x.to_dm(&mut ctx.tdma);
    let mut out = DmTensor::<i32, Chip, Cluster, Slice, m![B, A % 8]>::new();
    for i in (0..B::SIZE).step_by(2) {
        if i % 4 != 0 {
            continue;
        }
        dm.view()
            .tile::<m![B], 2, _>(i)
            .to_dm_view(&mut ctx.tdma, out.view_mut().tile::<m![B], 2, _>(i));
    }
    out.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn pair_of_sums(ctx: &mut Context, input: &Pair<m![A]>, ns: [usize; 2]) -> (HbmTensor<i32, Chip, m![A]>, HbmTensor<i32, Chip, m![A]>) {
    let first = add(ctx, &input.first, ns[0] as i32);
    let second = add(ctx, &input.second, input.both() as i32 + ns[1] as i32);
    (first.to_hbm(&mut ctx.tdma), second.to_hbm(&mut ctx.tdma))
}

fn add(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, n: i32) -> DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> {
    let x = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma);
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, n)
        .vector_final()
        .commit()
}

/// Which constant is added is decided while the kernel is recorded.
#[device(chip = 1)]
fn decided(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, mode: HbmScalar<i32>) -> HbmTensor<i32, Chip, m![A]> {
    let n = match mode.value() {
        0 => 1,
        1 | 2 => 20,
        _ => 300,
    };
    let [low, high] = [n, n * 2];
    let y = if n > 10 { add(ctx, x, high) } else { add(ctx, x, low) };
    assert!(Slice::SIZE == 256, "one part for each slice");
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn on_tiles(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![B, A]>, out: &mut HbmTensor<i32, Chip, m![B, A]>) {
    let dm: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = x.to_dm(&mut ctx.tdma);
    for i in 0..B::SIZE / 2 {
        let part = plus(ctx, dm.view().tile::<m![B], 2, _>(2 * i), i as i32);
        part.view().to_hbm_view(&mut ctx.tdma, out.view_mut().tile::<m![B], 2, m![B = 2 # 8, A]>(2 * i));
    }
}
