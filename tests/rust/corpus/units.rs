// Tiles of slices and clusters as sides of transfers, tensors that stay in DM between kernels, SPM, casts at the commit,
// and bits as another type.
use vendor_std::prelude::*;

axes![S = 256, H = 2, W = 8, T = 4, A = 64, Q = 4, X = 8, Y = 256];

type Chip = m![1];
type Cluster = m![1 # 2];

/// Rows 8 to 11 go to slices 40 to 43; the other slices keep what they hold.
#[device(chip = 1)]
fn some_slices(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, W]>) -> HbmTensor<i32, Chip, m![S, W]> {
    let mut dm: DmTensor<i32, Chip, Cluster, m![S], m![W]> = x.to_dm(&mut ctx.tdma);
    const FROM: usize = 8;
    x.view()
        .tile::<m![S], 4, m![S = 4 # 256, W]>(FROM)
        .to_dm_view(&mut ctx.tdma, dm.view_mut().slice_tile::<m![S], 4, m![S = 4 # 256]>(5 * FROM));
    dm.to_hbm(&mut ctx.tdma)
}

/// One cluster after the other.
#[device(chip = 1)]
fn cluster_by_cluster(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![H, S, W]>) -> HbmTensor<f32, Chip, m![S, H, W]> {
    let mut dm: DmTensor<f32, Chip, m![H], m![S], m![W]> = DmTensor::new();
    for h in 0..H::SIZE {
        let part = x.view().tile::<m![H], 1, _>(h);
        part.to_dm_view(&mut ctx.tdma, dm.view_mut().cluster_tile::<m![H], 1, _>(h));
    }
    dm.to_hbm(&mut ctx.tdma)
}

/// Leaves its result in DM, for a kernel that is launched later.
#[device(chip = 1)]
fn stays_in_dm(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, W]>) -> DmTensor<i32, Chip, Cluster, m![S], m![W]> {
    let dm: DmTensor<i32, Chip, Cluster, m![S], m![W]> = x.to_dm(&mut ctx.tdma);
    ctx.main
        .begin(dm.view())
        .fetch::<m![1], m![W]>()
        .collect::<m![1], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, 1)
        .vector_final()
        .commit()
}

/// Takes what lies in DM, and changes it where it is.
#[device(chip = 1)]
fn goes_on_in_dm(ctx: &mut Context, state: &mut DmTensor<i32, Chip, Cluster, m![S], m![W]>, by: i32) -> HbmTensor<i32, Chip, m![S, W]> {
    let next: DmTensor<i32, Chip, Cluster, m![S], m![W]> = ctx
        .main
        .begin(state.view())
        .fetch::<m![1], m![W]>()
        .collect::<m![1], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::MulInt, by + 2)
        .vector_final()
        .commit();
    next.view().to_dm_view(&mut ctx.tdma, state.view_mut());
    next.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn through_spm(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, W]>) -> HbmTensor<i32, Chip, m![S, W]> {
    let dm: DmTensor<i32, Chip, Cluster, m![S], m![W]> = x.to_dm(&mut ctx.tdma);
    let spm: SpmTensor<i32, Chip, Cluster, m![S / 64], m![S % 64, W]> = dm.to_spm(&mut ctx.tdma);
    spm.to_hbm(&mut ctx.tdma)
}

/// Narrower numbers on the way into DM, one of them without negative ones.
#[device(chip = 1)]
fn narrow(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, T, W]>) -> (HbmTensor<bf16, Chip, m![S, T, W]>, HbmTensor<f8e4m3, Chip, m![S, T, W]>) {
    let dm: DmTensor<f32, Chip, Cluster, m![S], m![T, W]> = x.to_dm(&mut ctx.tdma);
    let halves: DmTensor<bf16, Chip, Cluster, m![S], m![T, W]> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![T], m![W]>()
        .collect::<m![T], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, 0.25)
        .vector_final()
        .commit_cast_relu::<bf16>()
        .commit();
    let quarters: DmTensor<f8e4m3, Chip, Cluster, m![S], m![T, W]> =
        ctx.sub.begin(dm.view()).fetch::<m![T], m![W]>().collect::<m![T], m![W]>().commit_cast::<f8e4m3>().commit();
    (halves.to_hbm(&mut ctx.tdma), quarters.to_hbm(&mut ctx.tdma))
}

/// The exponent of each number.
#[device(chip = 1)]
fn exponents(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, T, W]>) -> HbmTensor<i32, Chip, m![S, T, W]> {
    const MASK: i32 = 0x7f80_0000;
    let dm: DmTensor<f32, Chip, Cluster, m![S], m![T, W]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, Chip, Cluster, m![S], m![T, W]> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![T], m![W]>()
        .collect::<m![T], m![W]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_reinterpret::<i32>()
        .vector_logic(LogicBinaryOpI32::BitAnd, MASK)
        .vector_fxp(FxpBinaryOp::LogicRightShift, 23)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// The bits of a tensor under another scalar, where they lie.
#[device(chip = 1)]
fn as_integers(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, W]>) -> HbmTensor<i32, Chip, m![S, W]> {
    let dm: DmTensor<f32, Chip, Cluster, m![S], m![W]> = x.to_dm(&mut ctx.tdma);
    let seen: DmTensorView<'_, i32, Chip, Cluster, m![Y], m![X]> = unsafe { dm.view().transmute() };
    let y: DmTensor<i32, Chip, Cluster, m![Y], m![X]> = ctx
        .main
        .begin(seen)
        .fetch::<m![1], m![X]>()
        .collect::<m![1], m![X]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_logic(LogicBinaryOpI32::BitXor, 1)
        .vector_final()
        .commit();
    let back: DmTensor<i32, Chip, Cluster, m![S], m![W]> = unsafe { y.reshape() };
    back.to_hbm(&mut ctx.tdma)
}

/// Four numbers of eight: the others are dropped on the way into the narrow half of the engine.
#[device(chip = 1)]
fn four_of_eight(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, Q]>) -> HbmTensor<f32, Chip, m![S, Q]> {
    let dm: DmTensor<f32, Chip, Cluster, m![S], m![Q # 8]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<f32, Chip, Cluster, m![S], m![Q # 8]> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![Q # 8]>()
        .collect::<m![1], m![Q # 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_trim::<m![Q]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 3.0)
        .vector_widen_pad::<m![Q # 8]>()
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}
