// Helpers, generic over mappings and bound by their arguments; values whose type is said where they are used.
use vendor_std::prelude::*;

axes![A = 2048, B = 4];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8 # 256];
type Row<E> = DmTensor<f32, Chip, Cluster, Slice, E>;

const SCALE: f32 = 1.0 / 8.0;
const ROUNDS: usize = B::SIZE;

fn scaled<E: M>(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, Slice, E>, by: f32) -> DmTensor<f32, Chip, Cluster, Slice, E> {
    ctx.main
        .begin(x.view())
        .fetch::<m![1], E>()
        .collect::<m![1], E>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![E / 4], m![E % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), by)
        .vector_widen_concat::<m![1], E>()
        .vector_final()
        .commit()
}

/// The sum of two tensors, the second through the VRF.
fn sum<S: M, E: M>(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, S, E>, y: &DmTensor<f32, Chip, Cluster, S, E>) -> DmTensor<f32, Chip, Cluster, S, E> {
    let y: VrfTensor<f32, Chip, Cluster, S, E> = ctx.sub.begin(y.view()).fetch::<m![1], E>().collect::<m![1], E>().to_vrf();
    ctx.main
        .begin(x.view())
        .fetch::<m![1], E>()
        .collect::<m![1], E>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, &y)
        .vector_final()
        .commit()
}

fn load(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![A]>) -> Row<m![A % 8]> {
    x.to_dm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn scale_and_add(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![A]>, y: &HbmTensor<f32, Chip, m![A]>) -> HbmTensor<f32, Chip, m![A]> {
    let x = load(ctx, x);
    let y = y.to_dm(&mut ctx.tdma); // its type is that of sum's parameter
    let small = scaled(ctx, &x, SCALE);
    let total = sum(ctx, &small, &y);
    total.to_hbm(&mut ctx.tdma)
}

/// The same again and again, in place.
#[device(chip = 1)]
pub fn rounds(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![A]>, out: &mut HbmTensor<f32, Chip, m![A]>) {
    let mut now = load(ctx, x);
    for i in 0..ROUNDS {
        let factor = if i % 2 == 0 { 2.0 } else { 0.5 * SCALE };
        now = scaled(ctx, &now, factor);
    }
    now.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
}
