// Modes of arguments, and operations that make one stream of two groups.
use vendor_std::prelude::*;

axes![A = 2048, I = 2];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Hbm<D> = HbmTensor<D, Chip, m![A]>;
type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![A % 8]>;

macro_rules! begun {
    ($ctx:ident, $x:expr) => {
        $ctx.main
            .begin($x.view())
            .fetch::<m![1], m![A % 8]>()
            .collect::<m![1], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
    };
}

/// Two tensors that take turns, as two groups.
macro_rules! grouped {
    ($ctx:ident, $x:expr, $y:expr) => {
        $ctx.main
            .begin_interleaved::<I, _, _, _, _, _>($x.view(), $y.view())
            .fetch::<m![I], m![A % 8]>()
            .collect::<m![I], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1]>()
    };
}

#[device(chip = 1)]
fn integers(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
    let dm: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = begun!(ctx, dm)
        .vector_logic_with_mode(LogicBinaryOpI32::BitOr, BinaryArgMode::Mode10, -256)
        .vector_fxp_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, 7)
        .vector_clip_with_mode(ClipBinaryOpI32::Max, BinaryArgMode::Mode10, -3)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

/// x squared, once more, and a quotient the other way round.
#[device(chip = 1)]
fn floats(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
    let dm: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = begun!(ctx, dm)
        .vector_narrow_split::<m![A / 4 % 2], m![A % 4]>()
        .vector_fp_unary_with_mode(FpUnaryOp::Sqrt, UnaryArgMode::Mode0)
        .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
        .vector_fp_ternary_with_mode(FpTernaryOp::FmaF, TernaryArgMode::Mode012, (0.5, 2.0))
        .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0)
        .vector_widen_concat::<m![1], m![A % 8]>()
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn zip_logic(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> Hbm<i32> {
    let (x, y): (Dm<i32>, Dm<i32>) = (x.to_dm(&mut ctx.tdma), y.to_dm(&mut ctx.tdma));
    let z: Dm<i32> = grouped!(ctx, x, y).vector_logic_zip(LogicBinaryOpI32::BitXor).vector_final().commit();
    z.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn zip_logic_turned(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> Hbm<i32> {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = y.to_dm(&mut ctx.tdma);
    let z: Dm<i32> =
        grouped!(ctx, x, y).vector_logic_zip_with_mode(LogicBinaryOpI32::BitAnd, BinaryArgMode::Mode10).vector_final().commit();
    z.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn zip_integers(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> (Hbm<i32>, Hbm<i32>) {
    let x: Dm<i32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<i32> = y.to_dm(&mut ctx.tdma);
    let sum: Dm<i32> = grouped!(ctx, x, y).vector_fxp_zip(FxpBinaryOp::AddFxp).vector_final().commit();
    let less: Dm<i32> = grouped!(ctx, x, y).vector_fxp_zip_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10).vector_final().commit();
    (sum.to_hbm(&mut ctx.tdma), less.to_hbm(&mut ctx.tdma))
}

#[device(chip = 1)]
fn zip_clip(ctx: &mut Context, x: &Hbm<f32>, y: &Hbm<f32>) -> Hbm<f32> {
    let x: Dm<f32> = x.to_dm(&mut ctx.tdma);
    let y: Dm<f32> = y.to_dm(&mut ctx.tdma);
    let z: Dm<f32> =
        grouped!(ctx, x, y).vector_clip_zip_with_mode(ClipBinaryOpF32::Max, BinaryArgMode::Mode10).vector_final().commit();
    z.to_hbm(&mut ctx.tdma)
}
