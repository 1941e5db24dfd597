// Lessons of the manual in the notation of the April edition: a scalar in every fetch, addresses in every transfer.
#![feature(register_tool)]
#![register_tool(tcp)]
extern crate vendor_std;
use vendor_std::prelude::*;

axes![A = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8 # 256];

#[tokio::main]
async fn main() {
    let mut ctx = Context::acquire();
    let input = HostTensor::<i32, m![A]>::rand(&mut rng());
    let input_hbm = input.to_hbm(&mut ctx.pdma, 0).await;
    let out = launch(add_one, (&mut ctx, &input_hbm)).await;
    let _values: Vec<i32> = out.to_host::<m![A]>(&mut ctx.pdma).await.into_iter().map(|x| x as i32).collect();
}

#[device(chip = 1)]
fn add_one(ctx: &mut Context, input: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    let dm = input.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
    let result = ctx
        .main
        .begin(dm.view())
        .fetch::<i32, m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, 1)
        .vector_final()
        .commit::<m![A % 8]>(1 << 12);
    result.to_hbm(&mut ctx.tdma, 1 << 28)
}

#[device(chip = 1)]
fn multiply(ctx: &mut Context, lhs: &HbmTensor<i32, Chip, m![A]>, rhs: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    let lhs_dm = lhs.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
    let rhs_dm = rhs.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 1 << 12);
    let rhs_vrf: VrfTensor<i32, Chip, Cluster, Slice, m![A % 8]> = ctx
        .sub
        .begin(rhs_dm.view())
        .fetch::<i32, m![1], m![A % 8]>()
        .collect::<m![A % 8 / 8], m![A % 8 % 8]>()
        .to_vrf(0);
    let product = ctx
        .main
        .begin(lhs_dm.view())
        .fetch::<i32, m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::MulInt, &rhs_vrf)
        .vector_final()
        .commit::<m![A % 8]>(1 << 13);
    product.to_hbm(&mut ctx.tdma, 1 << 28)
}

mod gemm {
    use super::*;

    axes![I = 512, J = 512, K = 64];
    type Slice = m![I / 32, J / 32];

    #[device(chip = 1)]
    fn gemm(
        ctx: &mut Context,
        a: &HbmTensor<bf16, Chip, m![I, K]>,
        b: &HbmTensor<bf16, Chip, m![J, K]>,
    ) -> HbmTensor<bf16, Chip, m![I, J]> {
        let a: DmTensor<bf16, Chip, Cluster, Slice, m![I % 32, K]> = a.to_dm(&mut ctx.tdma, 0);
        let b: DmTensor<bf16, Chip, Cluster, Slice, m![J % 32, K]> = b.to_dm(&mut ctx.tdma, 1 << 12);
        let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![J % 8], m![J / 8 % 4, K]> = ctx
            .sub
            .begin(b.view())
            .fetch::<bf16, m![J % 8, J / 8 % 4], m![K]>()
            .collect::<m![J % 8, J / 8 % 4, K / 16], m![K % 16]>()
            .to_trf(TrfAddress::Full);
        let c: DmTensor<bf16, Chip, Cluster, Slice, m![I % 32, J % 32]> = ctx
            .main
            .begin(a.view())
            .fetch::<bf16, m![I % 32, J / 8 % 4], m![K]>()
            .collect::<m![I % 32, J / 8 % 4, K / 16], m![K % 16]>()
            .align::<m![I % 32, J / 8 % 4, K / 32], m![K % 32], _, _>(&weights)
            .contract::<m![1]>()
            .accumulate::<m![I % 32, J / 8 % 4], m![J % 8]>(AccumulationKind::Interleaved)
            .cast::<bf16, m![J % 8 # 16]>()
            .commit(1 << 13);
        c.to_hbm(&mut ctx.tdma, 2 << 28)
    }
}

mod dot {
    use super::{Chip, Cluster};
    use vendor_std::prelude::*;

    axes![A = 2048];
    type Slice = m![1 # 256]; // one slice does it all

    #[device(chip = 1)]
    fn dot(ctx: &mut Context, lhs: &HbmTensor<bf16, Chip, m![A]>, rhs: &HbmTensor<bf16, Chip, m![A]>) -> HbmTensor<bf16, Chip, m![1 # 8]> {
        let lhs = lhs.to_dm::<Cluster, Slice, m![A]>(&mut ctx.tdma, 0);
        let rhs = rhs.to_dm::<Cluster, Slice, m![A]>(&mut ctx.tdma, 1 << 12);
        let weights = ctx
            .sub
            .begin(rhs.view())
            .fetch::<bf16, m![1], m![A]>()
            .collect::<m![A / 16], m![A % 16]>()
            .to_trf::<m![1], m![A]>(TrfAddress::Full);
        let out = ctx
            .main
            .begin(lhs.view())
            .fetch::<bf16, m![1], m![A]>()
            .collect::<m![A / 16], m![A % 16]>()
            .align::<m![A / 32], m![A % 32], _, _>(&weights)
            .contract::<m![1]>()
            .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
            .cast::<bf16, m![1 # 16]>()
            .commit::<m![1 # 8]>(1 << 13);
        out.to_hbm(&mut ctx.tdma, 2 << 28)
    }
}

mod gemv {
    use super::{Chip, Cluster};
    use vendor_std::prelude::*;

    axes![I = 256, J = 2048];
    type Slice = m![I];
    type Time = m![J / 16];
    type Packet = m![J % 16];

    #[device(chip = 1)]
    fn gemv(ctx: &mut Context, matrix: &HbmTensor<bf16, Chip, m![I, J]>, vector: &HbmTensor<bf16, Chip, m![J]>) -> HbmTensor<bf16, Chip, m![I, 1 # 4]> {
        let matrix: DmTensor<bf16, Chip, Cluster, Slice, m![J]> = matrix.to_dm(&mut ctx.tdma, 0);
        let vector: DmTensor<bf16, Chip, Cluster, Slice, m![J]> = vector.to_dm(&mut ctx.tdma, 1 << 12);
        let vector: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![J]> =
            ctx.sub.begin(vector.view()).fetch::<bf16, m![1], m![J]>().collect::<Time, Packet>().to_trf(TrfAddress::Full);
        let out: DmTensor<bf16, Chip, Cluster, Slice, m![1 # 4]> = ctx
            .main
            .begin(matrix.view())
            .fetch::<bf16, m![1], m![J]>()
            .collect::<Time, Packet>()
            .align::<m![J / 32], m![J % 32], _, _>(&vector)
            .contract::<m![1]>()
            .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
            .cast::<bf16, m![1 # 16]>()
            .commit(1 << 13);
        out.to_hbm(&mut ctx.tdma, 2 << 28)
    }
}

mod pipelines {
    use super::*;

    type Slice = m![A / 8];
    type Hbm<D> = HbmTensor<D, Chip, m![A]>;

    /// Streams are values: a helper takes one in the middle of its way, and gives it on.
    fn entered<'l, const T: Tu, D: Scalar>(
        input: CollectTensor<'l, T, D, Chip, Cluster, Slice, m![1], m![A % 8]>,
    ) -> VectorTensor<'l, T, D, Chip, Cluster, Slice, m![1], m![A % 8]> {
        input.vector_init().vector_intra_slice_branch(BranchMode::Unconditional)
    }

    #[device(chip = 1)]
    fn relu(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
        let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
        let collected = ctx.main.begin(dm.view()).fetch::<f32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>();
        entered(collected)
            .vector_clip(ClipBinaryOpF32::Max, 0.0f32)
            .vector_final()
            .commit::<m![A % 8]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }

    #[device(chip = 1)]
    fn sigmoid_of_integers(ctx: &mut Context, x: &Hbm<i32>) -> Hbm<i32> {
        let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
        entered(ctx.main.begin(dm.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>())
            .vector_fxp(FxpBinaryOp::AddFxp, 100)
            .vector_fxp_to_fp(21)
            .vector_split::<m![A / 4 % 2], m![A % 4]>()
            .vector_fp_unary(FpUnaryOp::Sigmoid)
            .vector_concat::<m![1], m![A % 8]>()
            .vector_fp_to_fxp(21)
            .vector_clip(ClipBinaryOpI32::Max, 512)
            .vector_final()
            .commit::<m![A % 8]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }

    #[device(chip = 1)]
    fn five_alus(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
        let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
        entered(ctx.main.begin(dm.view()).fetch::<f32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>())
            .vector_split::<m![A / 4 % 2], m![A % 4]>()
            .vector_fp_binary(FpBinaryOp::AddF, 1.0f32)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0f32)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 3.0f32)
            .vector_fp_unary(FpUnaryOp::Sqrt)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_concat::<m![1], m![A % 8]>()
            .vector_final()
            .commit::<m![A % 8]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }

    #[device(chip = 1)]
    fn leaky_relu(ctx: &mut Context, x: &Hbm<f32>) -> Hbm<f32> {
        let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
        entered(ctx.main.begin(dm.view()).fetch::<f32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>())
            .vector_stash()
            .vector_split::<m![A / 4 % 2], m![A % 4]>()
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 0.25f32)
            .vector_concat::<m![1], m![A % 8]>()
            .vector_clip(ClipBinaryOpF32::Max, Stash)
            .vector_final()
            .commit::<m![A % 8]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }
}

mod softmax {
    use super::{Chip, Cluster};
    use vendor_std::prelude::*;

    axes![N = 256, R = 1024];
    type Slice = m![N];
    type Hbm = HbmTensor<bf16, Chip, m![N, R]>;
    type Number = DmTensor<f32, Chip, Cluster, Slice, m![1 # 8]>;
    type Kept = VrfTensor<f32, Chip, Cluster, Slice, m![1 # 8]>;

    fn keep(ctx: &mut Context, number: &Number, address: usize) -> Kept {
        ctx.sub.begin(number.view()).fetch::<f32, m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf(address)
    }

    macro_rules! rows {
        ($ctx:expr, $x:expr) => {
            $ctx.main
                .begin($x.view())
                .fetch::<f32, m![R / 8], m![R % 8]>()
                .collect::<m![R / 8], m![R % 8]>()
                .vector_init()
                .vector_intra_slice_branch(BranchMode::Unconditional)
                .vector_split::<m![R / 4], m![R % 4]>()
        };
    }

    #[device(chip = 1)]
    fn softmax(ctx: &mut Context, input: &Hbm) -> Hbm {
        let x = input.to_dm::<Cluster, Slice, m![R]>(&mut ctx.tdma, 0);
        let greatest: Number = rows!(ctx, x)
            .vector_intra_slice_reduce::<R, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
            .vector_pad_way8::<m![1 # 8]>()
            .vector_final()
            .commit(0x1000);
        let greatest = keep(ctx, &greatest, 0);
        let sum: Number = rows!(ctx, x)
            .vector_fp_binary(FpBinaryOp::SubF, &greatest)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_intra_slice_reduce::<R, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_pad_way8::<m![1 # 8]>()
            .vector_final()
            .commit(0x1020);
        let sum = keep(ctx, &sum, 32);
        let y = rows!(ctx, x)
            .vector_fp_binary(FpBinaryOp::SubF, &greatest)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_fp_div(FpDivBinaryOp::DivF, &sum)
            .vector_concat::<m![R / 8], m![R % 8]>()
            .vector_final()
            .cast::<bf16, m![R % 8 # 16]>()
            .commit::<m![R]>(0x2000);
        y.to_hbm(&mut ctx.tdma, 1 << 28)
    }
}

mod two_groups {
    use super::*;

    axes![I = 2];
    type Slice = m![A / 8];
    type Hbm<D> = HbmTensor<D, Chip, m![A]>;
    type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![A % 8]>;

    fn both<D: Scalar>(ctx: &mut Context, x: &Hbm<D>, y: &Hbm<D>) -> (Dm<D>, Dm<D>) {
        (x.to_dm(&mut ctx.tdma, 0), y.to_dm(&mut ctx.tdma, 1 << 12))
    }

    #[device(chip = 1)]
    fn ten_x_plus_y(ctx: &mut Context, x: &Hbm<i32>, y: &Hbm<i32>) -> Hbm<i32> {
        let (x, y) = both(ctx, x, y);
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
            .fetch::<i32, m![I], m![A % 8]>()
            .collect::<m![I], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
            .vector_fxp(FxpBinaryOp::MulInt, 10, ())
            .vector_clip_zip(ClipBinaryOpI32::AddFxp)
            .vector_final()
            .commit::<m![A % 8]>(1 << 13)
            .to_hbm(&mut ctx.tdma, 2 << 28)
    }

    #[device(chip = 1)]
    fn y_minus_x(ctx: &mut Context, x: &Hbm<f32>, y: &Hbm<f32>) -> Hbm<f32> {
        let (x, y) = both(ctx, x, y);
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
            .fetch::<f32, m![I], m![A % 8]>()
            .collect::<m![I], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
            .vector_split::<m![A / 4 % 2], m![A % 4]>()
            .vector_fp_zip_with_mode(FpBinaryOp::SubF, BinaryArgMode::Mode10)
            .vector_concat::<m![1], m![A % 8]>()
            .vector_final()
            .commit::<m![A % 8]>(1 << 13)
            .to_hbm(&mut ctx.tdma, 2 << 28)
    }

    #[device(chip = 1)]
    fn exp_x_times_y(ctx: &mut Context, x: &Hbm<f32>, y: &Hbm<f32>) -> Hbm<f32> {
        let (x, y) = both(ctx, x, y);
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
            .fetch::<f32, m![I], m![A % 8]>()
            .collect::<m![I], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
            .vector_split::<m![A / 4 % 2], m![A % 4]>()
            .vector_fp_unary(FpUnaryOp::Exp, true, false)
            .vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))
            .vector_concat::<m![1], m![A % 8]>()
            .vector_final()
            .commit::<m![A % 8]>(1 << 13)
            .to_hbm(&mut ctx.tdma, 2 << 28)
    }
}

mod quantised {
    use super::{Chip, Cluster};
    use vendor_std::prelude::*;

    axes![I = 256, N = 8, K = 256];
    type Slice = m![I];

    #[device(chip = 1)]
    fn linear(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![I, K]>, w: &HbmTensor<i8, Chip, m![N, K]>) -> HbmTensor<i8, Chip, m![I, N]> {
        let x: DmTensor<i8, Chip, Cluster, Slice, m![K]> = x.to_dm(&mut ctx.tdma, 0);
        let w: DmTensor<i8, Chip, Cluster, Slice, m![N, K]> = w.to_dm(&mut ctx.tdma, 1 << 12);
        let weights: TrfTensor<i8, Chip, Cluster, Slice, m![N], m![K]> =
            ctx.sub.begin(w.view()).fetch::<i8, m![N], m![K]>().collect::<m![N, K / 32], m![K % 32]>().to_trf(TrfAddress::Full);
        ctx.main
            .begin(x.view())
            .fetch::<m![1], m![K]>()
            .fetch_zero_point_sub::<i9>(11)
            .collect::<m![K / 32], m![K % 32]>()
            .align::<m![K / 64], m![K % 64], _, _>(&weights)
            .contract::<m![1]>()
            .accumulate::<m![1], m![N]>(AccumulationKind::Interleaved)
            .vector_init()
            .vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_fxp(FxpBinaryOp::MulInt, 3)
            .vector_fxp(FxpBinaryOp::ArithRightShiftRound, 12)
            .vector_clip(ClipBinaryOpI32::Min, 127)
            .vector_clip(ClipBinaryOpI32::Max, -128)
            .vector_final()
            .cast::<i8, m![N # 32]>()
            .commit::<m![N]>(1 << 13)
            .to_hbm(&mut ctx.tdma, 2 << 28)
    }
}

mod padded {
    use super::{Chip, Cluster};
    use vendor_std::prelude::*;

    axes![X = 256, A = 8, R = 19, Y = 32, B = 4, Q = 17];
    type Padded = m![R # 24];

    #[device(chip = 1)]
    fn sum_of_exp(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![X, A, R # 24]>) -> HbmTensor<f32, Chip, m![X, A]> {
        let dm = x.to_dm::<Cluster, m![X], m![A, Padded]>(&mut ctx.tdma, 0);
        ctx.main
            .begin(dm.view())
            .fetch::<f32, m![A, Padded / 8], m![Padded % 8]>()
            .collect::<m![A, Padded / 8], m![Padded % 8]>()
            .vector_init()
            .vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_split::<m![A, { Padded } / 4], m![{ Padded } % 4]>()
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_intra_slice_reduce::<R, m![A], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_pad_way8::<m![1 # 8]>()
            .vector_final()
            .commit::<m![A, 1 # 2]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }

    #[device(chip = 1)]
    fn greatest(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![Y, Q, B]>) -> HbmTensor<i32, Chip, m![Y, B]> {
        const PART: usize = 3;
        let dm = x.to_dm::<Cluster, m![Y, Q # 24 / PART], m![Q # 24 % { PART }, B]>(&mut ctx.tdma, 0);
        ctx.main
            .begin(dm.view())
            .fetch::<i32, m![Q # 24 % 3], m![B]>()
            .collect::<m![Q # 24 % 3], m![B # 8]>()
            .vector_init()
            .vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_trim_way4::<m![B]>()
            .vector_intra_slice_reduce::<Q, m![1], m![B]>(IntraSliceReduceOpI32::Max)
            .vector_pad_way8::<m![B # 8]>()
            .vector_inter_slice_reduce::<m![Y, 1 # 8], m![1]>(InterSliceReduceOpI32::Max)
            .vector_final()
            .commit::<m![B]>(1 << 12)
            .to_hbm(&mut ctx.tdma, 1 << 28)
    }
}
