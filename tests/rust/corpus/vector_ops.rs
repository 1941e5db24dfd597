// The Vector Engine in the names of editions 0.3 to 0.8: tags, guards, stash, two groups, reductions, conversions.
use vendor_std::prelude::*;

axes![A = 2048, N = 256, R = 1024, I = 2];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Hbm<D> = HbmTensor<D, Chip, m![A]>;
type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![A % 8]>;

#[device(chip = 1)]
fn relu(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
    let dm: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Max, 0.0)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn leaky_relu(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
    const SLOPE: f32 = 0.125;
    let dm: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_stash()
        .vector_narrow_split::<m![A / 4 % 2], m![A % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SLOPE)
        .vector_widen_concat::<m![1], m![A % 8]>()
        .vector_clip(ClipBinaryOpF32::Max, Stash)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// 3 where x is less than -10, 5 where it is greater than 10.
#[device(chip = 1)]
fn by_comparison(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
    let dm: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(-10), Cmp::Greater(10), Cmp::False, Cmp::False]))
        .vector_fxp(
            FxpBinaryOp::AddFxp,
            Branched::imm(TagGuard::matches([BitReq::One, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]), 3)
                .imm(TagGuard::matches([BitReq::Ignore, BitReq::One, BitReq::Ignore, BitReq::Ignore]), 5),
        )
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn fused(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
    let dm: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![A / 4 % 2], m![A % 4]>()
        .vector_fp_ternary(FpTernaryOp::FmaF, (2.0, -1.0))
        .vector_widen_concat::<m![1], m![A % 8]>()
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn through_integers(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
    let dm: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_logic(LogicBinaryOpI32::BitAnd, 0xff)
        .vector_fxp_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, 7)
        .vector_fxp_to_fp(21)
        .vector_narrow_split::<m![A / 4 % 2], m![A % 4]>()
        .vector_fp_unary(FpUnaryOp::Sigmoid)
        .vector_widen_concat::<m![1], m![A % 8]>()
        .vector_fp_to_fxp(21)
        .vector_clip(ClipBinaryOpI32::Max, 512)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

type Row = m![N];

/// One number of each slice, for every element of its row.
fn keep(ctx: &mut Context, number: &DmTensor<f32, Chip, Cluster, Row, m![1 # 8]>) -> VrfTensor<f32, Chip, Cluster, Row, m![1 # 8]> {
    ctx.sub.begin(number.view()).fetch::<m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf()
}

#[device(chip = 1)]
fn softmax(ctx: &mut Context, input: &HbmTensor<bf16, Chip, m![N, R]>) -> HbmTensor<bf16, Chip, m![N, R]> {
    let x: DmTensor<bf16, Chip, Cluster, Row, m![R]> = input.to_dm(&mut ctx.tdma);
    let greatest: DmTensor<f32, Chip, Cluster, Row, m![1 # 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![R / 8], m![R % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![R / 8], m![R % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![R / 4], m![R % 4]>()
        .vector_intra_slice_reduce::<R, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .commit();
    let greatest = keep(ctx, &greatest);
    let sum: DmTensor<f32, Chip, Cluster, Row, m![1 # 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![R / 8], m![R % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![R / 8], m![R % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![R / 4], m![R % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, &greatest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_intra_slice_reduce::<R, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .commit();
    let sum = keep(ctx, &sum);
    let y: DmTensor<bf16, Chip, Cluster, Row, m![R]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![R / 8], m![R % 8]>()
        .fetch_cast::<f32>()
        .collect::<m![R / 8], m![R % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![R / 4], m![R % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, &greatest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_fp_div(&sum)
        .vector_widen_concat::<m![R / 8], m![R % 8]>()
        .vector_final()
        .cast::<bf16, m![R % 8 # 16]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// Two tensors that take turns, and their difference.
#[device(chip = 1)]
fn difference(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> Hbm<i32> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = y.to_dm(&mut ctx.tdma);
    let z: Dm<i32> = ctx
        .main
        .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
        .fetch::<m![I], m![A % 8]>()
        .collect::<m![I], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_unzip::<I, m![1]>()
        .vector_fxp(FxpBinaryOp::AddFxp, 1, ())
        .vector_clip_zip(ClipBinaryOpI32::Max)
        .vector_final()
        .commit();
    z.to_hbm(&mut ctx.tdma)
}
