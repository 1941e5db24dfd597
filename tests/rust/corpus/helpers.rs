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

/// Helpers over streams, as the book writes them: the type of the result says what a call leaves open.
mod of_the_book {
    use super::*;
    axes![P = 256, M = 16, N = 8, K = 32, I = 2];
    type Rows = m![P];

    fn fetched<'l, const T: Tu>(input: BeginTensor<'l, T, bf16, Chip, Cluster, Rows, m![1], m![M, K]>) -> FetchTensor<'l, T, bf16, Chip, Cluster, Rows, m![M], m![K]> {
        input.fetch()
    }
    fn collected<'l, const T: Tu>(input: FetchTensor<'l, T, bf16, Chip, Cluster, Rows, m![M], m![K]>) -> CollectTensor<'l, T, bf16, Chip, Cluster, Rows, m![M, K / 16], m![K % 16]> {
        input.collect()
    }
    fn accumulated<'l, const T: Tu>(input: ContractionTensor<'l, T, f32, Chip, Cluster, Rows, m![M], m![1]>) -> AccumulationTensor<'l, T, f32, Chip, Cluster, Rows, m![M], m![N]> {
        input.accumulate::<m![M], m![N]>(AccumulationKind::Interleaved)
    }
    fn cast_commit<'l, const T: Tu>(input: AccumulationTensor<'l, T, f32, Chip, Cluster, Rows, m![M], m![N]>) -> DmTensor<bf16, Chip, Cluster, Rows, m![M, N # 16]> {
        input.cast::<bf16, m![N # 16]>().commit(1 << 15)
    }

    #[device(chip = 1)]
    pub fn product(ctx: &mut Context, a: &HbmTensor<bf16, Chip, m![P, M, K]>, b: &HbmTensor<bf16, Chip, m![N, K]>) -> HbmTensor<bf16, Chip, m![P, M, N # 16]> {
        let a: DmTensor<bf16, Chip, Cluster, Rows, m![M, K]> = a.to_dm(&mut ctx.tdma, 0);
        let b: DmTensor<bf16, Chip, Cluster, Rows, m![N, K]> = b.to_dm(&mut ctx.tdma, 1 << 14);
        let b: TrfTensor<bf16, Chip, Cluster, Rows, m![N], m![K]> =
            ctx.sub.begin(b.view()).fetch::<bf16, m![N], m![K]>().collect::<m![N, K / 16], m![K % 16]>().to_trf(TrfAddress::Full);
        let stream = collected(fetched(ctx.main.begin(a.view())));
        let c = cast_commit(accumulated(stream.align::<m![M], m![K], _, _>(&b).contract::<m![1]>()));
        c.to_hbm(&mut ctx.tdma, 1 << 28)
    }

    fn without_zero<'l, const T: Tu>(input: BeginTensor<'l, T, i8, Chip, Cluster, Rows, m![1], m![N]>, zero_point: i8) -> FetchTensor<'l, T, i32, Chip, Cluster, Rows, m![1], m![N]> {
        input.fetch_with_zero_point(zero_point)
    }
    fn without_zeros<'l, const T: Tu>(input: BeginTensor<'l, T, i8, Chip, Cluster, Rows, m![I], m![N]>, zero_points: [i8; 2]) -> FetchTensor<'l, T, i32, Chip, Cluster, Rows, m![I], m![N]> {
        input.fetch_with_zero_points(zero_points)
    }
    fn begun<'l, const T: Tu>(
        input: CollectTensor<'l, T, i32, Chip, Cluster, Rows, m![1], m![N]>,
    ) -> VectorBranchTensor<'l, T, i32, Chip, Cluster, Rows, m![1], m![N], i32, NoTensor, { stage::VeOrder::IntraFirst }> {
        input.vector_init().vector_intra_slice_branch(BranchMode::Unconditional)
    }
    fn doubled<'l, const T: Tu>(
        input: VectorBranchTensor<'l, T, i32, Chip, Cluster, Rows, m![1], m![N], i32, NoTensor, { stage::VeOrder::IntraFirst }>,
    ) -> VectorFinalTensor<'l, T, i32, Chip, Cluster, Rows, m![1], m![N]> {
        input.vector_fxp(FxpBinaryOp::MulInt, 2).vector_final()
    }

    #[device(chip = 1)]
    pub fn zero_points(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![P, N]>, y: &HbmTensor<i8, Chip, m![P, N]>) -> (HbmTensor<i32, Chip, m![P, N]>, HbmTensor<i32, Chip, m![P, N]>) {
        let x: DmTensor<i8, Chip, Cluster, Rows, m![N]> = x.to_dm(&mut ctx.tdma, 0);
        let y: DmTensor<i8, Chip, Cluster, Rows, m![N]> = y.to_dm(&mut ctx.tdma, 1 << 12);
        let one = doubled(begun(without_zero(ctx.main.begin(x.view()), 5).collect::<m![1], m![N]>())).commit::<m![N]>(1 << 13);
        let both = without_zeros(ctx.main.begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view()), [3, -4])
            .collect::<m![I], m![N]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
            .vector_clip_zip(ClipBinaryOpI32::AddFxp)
            .vector_final()
            .commit::<m![N]>(1 << 14);
        (one.to_hbm(&mut ctx.tdma, 1 << 28), both.to_hbm(&mut ctx.tdma, 1 << 29))
    }
}
