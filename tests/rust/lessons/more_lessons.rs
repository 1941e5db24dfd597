// Lessons of the manual in the notation of the latest editions; ../corpus/lessons.rs has others in April's.
use vendor_std::prelude::*;

type Chip = m![1];
type Cluster = m![1 # 2];

/// Lesson 1.
mod first {
    use super::*;
    axes![A = 2048];

    #[device(chip = 1)]
    pub fn first_program(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
        let dm: DmTensor<i32, Chip, Cluster, m![A / 8 # 256], m![A % 8]> = x.to_dm(&mut ctx.tdma);
        let out: DmTensor<i32, Chip, Cluster, m![A / 8 # 256], m![A % 8]> =
            ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().commit();
        out.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 7: a product whose K is cut into tiles.
mod tiling {
    use super::*;
    axes![I = 128, J = 128, K = 512];
    type Slice = m![[I / 32, J / 32] # 256];
    type Sums = DmTensor<f32, Chip, Cluster, Slice, m![I % 32, J % 32]>;
    const TILES: usize = 4;

    struct Tile {
        a: DmTensor<bf16, Chip, Cluster, Slice, m![I % 32, K % 128]>,
        b: DmTensor<bf16, Chip, Cluster, Slice, m![J % 32, K % 128]>,
    }

    fn load(ctx: &mut Context, a: &HbmTensor<bf16, Chip, m![I, K]>, b: &HbmTensor<bf16, Chip, m![J, K]>, tile: usize) -> Tile {
        let a_part = a.view().tile::<m![K / 128], 1, _>(tile);
        let b_part = b.view().tile::<m![K / 128], 1, _>(tile);
        Tile {
            a: a_part.to_dm::<Cluster, Slice, m![I % 32, K % 128]>(&mut ctx.tdma),
            b: b_part.to_dm::<Cluster, Slice, m![J % 32, K % 128]>(&mut ctx.tdma),
        }
    }

    macro_rules! products {
        ($ctx:ident, $tile:expr) => {{
            let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![J % 8], m![J / 8 % 4, K % 128]> = $ctx
                .sub
                .begin($tile.b.view())
                .fetch::<m![J % 8, J / 8 % 4], m![K % 128]>()
                .collect::<m![J % 8, J / 8 % 4, K / 16 % 8], m![K % 16]>()
                .to_trf(TrfAddress::Full);
            $ctx.main
                .begin($tile.a.view())
                .fetch::<m![I % 32, J / 8 % 4], m![K % 128]>()
                .collect::<m![I % 32, J / 8 % 4, K / 16 % 8], m![K % 16]>()
                .contract_outer::<m![I % 32, J / 8 % 4, K / 32 % 4], m![K % 32], _, _, _>(&weights)
                .contract_packet::<m![1]>()
                .contract_time::<m![I % 32, J / 8 % 4]>()
                .contract_lane::<m![I % 32, J / 8 % 4], m![J % 8]>(LaneMode::Interleaved)
        }};
    }

    macro_rules! add_to {
        ($ctx:ident, $tile:expr, $sums:expr) => {{
            let so_far: VrfTensor<f32, Chip, Cluster, Slice, m![I % 32, J % 32]> = $ctx
                .sub
                .begin($sums.view())
                .fetch::<m![I % 32], m![J % 32]>()
                .collect::<m![I % 32, J / 8 % 4], m![J % 8]>()
                .to_vrf();
            products!($ctx, $tile)
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_clip(ClipBinaryOpF32::Add, &so_far)
                .vector_final()
        }};
    }

    #[device(chip = 1)]
    pub fn tiled_gemm(ctx: &mut Context, a: &HbmTensor<bf16, Chip, m![I, K]>, b: &HbmTensor<bf16, Chip, m![J, K]>) -> HbmTensor<bf16, Chip, m![I, J]> {
        let mut now = load(ctx, a, b, 0);
        let next = load(ctx, a, b, 1);
        let mut sums: Sums = products!(ctx, now).commit();
        now = next;
        for t in 1..TILES - 1 {
            let next = load(ctx, a, b, t + 1);
            sums = add_to!(ctx, now, sums).commit();
            now = next;
        }
        let c: DmTensor<bf16, Chip, Cluster, Slice, m![I % 32, J % 32]> =
            add_to!(ctx, now, sums).cast::<bf16, m![J % 8 # 16]>().commit();
        c.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 12: rows that come in two halves.
mod layer_normalisation {
    use super::*;
    axes![T = 256, H = 1024, I = 2];
    type Half = HbmTensor<bf16, Chip, m![T, H]>;
    type HalfDm = DmTensor<bf16, Chip, Cluster, m![T], m![H]>;
    type Number = DmTensor<f32, Chip, Cluster, m![T], m![1 # 8]>;
    type Kept = VrfTensor<f32, Chip, Cluster, m![T], m![1 # 8]>;
    const EPSILON: f32 = 1e-5;
    const SHARE: f32 = 1.0 / 2048.0;

    pub struct Rows {
        pub left: Half,
        pub right: Half,
    }

    macro_rules! quarters {
        ($ctx:ident, $x:expr) => {
            $ctx.main
                .begin($x.view())
                .fetch::<m![H / 8], m![H % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![H / 8], m![H % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![H / 4], m![H % 4]>()
        };
    }

    fn sum(ctx: &mut Context, x: &HalfDm) -> Number {
        quarters!(ctx, x)
            .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit()
    }

    fn sum_of_squares(ctx: &mut Context, x: &HalfDm, mean: &Kept) -> Number {
        quarters!(ctx, x)
            .vector_fp_binary(FpBinaryOp::SubF, mean)
            .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
            .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit()
    }

    fn share_of_both(ctx: &mut Context, left: &Number, right: &Number, more: f32) -> Number {
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(left.view(), right.view())
            .fetch::<m![I], m![1 # 8]>()
            .collect::<m![I], m![1 # 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
            .vector_narrow_split::<m![1 # 2], m![1 # 4]>()
            .vector_fp_zip(FpBinaryOp::AddF)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SHARE)
            .vector_widen_concat::<m![1], m![1 # 8]>()
            .vector_clip(ClipBinaryOpF32::Add, more)
            .vector_final()
            .commit()
    }

    fn square_root(ctx: &mut Context, x: &Number) -> Number {
        ctx.main
            .begin(x.view())
            .fetch::<m![1], m![1 # 8]>()
            .collect::<m![1], m![1 # 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_trim::<m![1 # 4]>()
            .vector_fp_unary(FpUnaryOp::Sqrt)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit()
    }

    fn keep(ctx: &mut Context, x: &Number) -> Kept {
        ctx.sub.begin(x.view()).fetch::<m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf()
    }

    fn normalised(ctx: &mut Context, x: &HalfDm, mean: &Kept, deviation: &Kept) -> Half {
        let y: HalfDm = quarters!(ctx, x)
            .vector_fp_binary(FpBinaryOp::SubF, mean)
            .vector_fp_div(FpDivBinaryOp::DivF, deviation)
            .vector_widen_concat::<m![H / 8], m![H % 8]>()
            .vector_final()
            .cast::<bf16, m![H % 8 # 16]>()
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }

    #[device(chip = 1)]
    pub fn layer_norm(ctx: &mut Context, x: &Rows) -> Rows {
        let left: HalfDm = x.left.to_dm(&mut ctx.tdma);
        let right: HalfDm = x.right.to_dm(&mut ctx.tdma);
        let (sum_left, sum_right) = (sum(ctx, &left), sum(ctx, &right));
        let mean = share_of_both(ctx, &sum_left, &sum_right, 0.0);
        let mean = keep(ctx, &mean);
        let (squares_left, squares_right) = (sum_of_squares(ctx, &left, &mean), sum_of_squares(ctx, &right, &mean));
        let variance = share_of_both(ctx, &squares_left, &squares_right, EPSILON);
        let deviation = square_root(ctx, &variance);
        let deviation = keep(ctx, &deviation);
        Rows { left: normalised(ctx, &left, &mean, &deviation), right: normalised(ctx, &right, &mean, &deviation) }
    }
}

/// Lesson 13: windows.
mod convolution {
    use super::*;
    axes![N = 4, K = 4, C = 16];
    type Slice = m![[N, C / 8] # 256];

    macro_rules! convolution {
        ($name:ident, $h:literal, $f:literal, $rows:ty, $columns:ty, $image:ty, $filter:ty, $taps:ty, $step:ty, $packet:ty, $row:literal) => {
            pub mod $name {
                use super::*;
                axes![H = $h, W = $h, Fh = $f, Fw = $f];

                #[device(chip = 1)]
                pub fn $name(ctx: &mut Context, x: &HbmTensor<bf16, Chip, m![N, { $image }]>, f: &HbmTensor<bf16, Chip, m![C, { $filter }]>) -> HbmTensor<bf16, Chip, m![N, C, H, W # $row]> {
                    let x: DmTensor<bf16, Chip, Cluster, Slice, $image> = x.to_dm(&mut ctx.tdma);
                    let f: DmTensor<bf16, Chip, Cluster, Slice, m![C % 8, { $filter }]> = f.to_dm(&mut ctx.tdma);
                    let filter: TrfTensor<bf16, Chip, Cluster, Slice, m![C % 8], $filter> =
                        ctx.sub.begin(f.view()).fetch::<m![C % 8, K], $taps>().collect::<m![C % 8, K], $taps>().to_trf();
                    let y: DmTensor<bf16, Chip, Cluster, Slice, m![H, C % 8, W # $row]> = ctx
                        .main
                        .begin(x.view())
                        .fetch::<m![H, K, Fh], $columns>()
                        .collect::<m![H, K, Fh], $columns>()
                        .contract_outer::<$step, $packet, _, _, _>(&filter)
                        .contract_packet::<m![W # $row]>()
                        .contract_time::<m![H]>()
                        .contract_lane::<m![H, C % 8, W # $row / 8], m![W # $row % 8]>(LaneMode::Sequential)
                        .cast::<bf16, m![W # $row % 8 # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }
            }
        };
    }

    convolution!(plain, 30, 3, m![$(H, Fh)], m![$(W, Fw)], m![K, $(H, Fh), $(W, Fw)], m![K, Fh # 4, Fw # 4], m![Fh # 4, Fw # 4], m![H, K, Fh, Fw], m![W # 32], 32);
    convolution!(strided, 15, 4, m![$(H:2, Fh)], m![$(W:2, Fw)], m![K, $(H:2, Fh), $(W:2, Fw)], m![K, Fh, Fw], m![Fh, Fw], m![H, K, Fh, Fw / 2], m![W # 16, Fw % 2], 16);
    convolution!(dilated, 28, 3, m![$(H, Fh:2)], m![$(W, Fw:2)], m![K, $(H, Fh:2), $(W, Fw:2)], m![K, Fh # 4, Fw # 4], m![Fh # 4, Fw # 4], m![H, K, Fh, Fw], m![W # 32], 32);
}

/// Lesson 14: sums over four chips.
mod collectives {
    use super::*;
    axes![A = 4, B = 4, C = 2048, I = 2];
    type Dm = DmTensor<i32, m![A], Cluster, m![C / 8], m![B, C % 8]>;

    fn add(ctx: &mut Context, x: &Dm, y: &Dm) -> Dm {
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
            .fetch::<m![B, I], m![C % 8]>()
            .collect::<m![B, I], m![C % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![B, 1 # 2], m![B]>()
            .vector_clip_zip(ClipBinaryOpI32::AddFxp)
            .vector_final()
            .commit()
    }

    #[device(chip = 4)]
    pub fn gather_all(ctx: &mut Context, parts: &HbmTensor<i32, m![B], m![C]>) -> HbmTensor<i32, m![4], m![B, C]> {
        parts.to_hbm(&mut ctx.tdma)
    }

    #[device(chip = 4)]
    pub fn reduce_all(ctx: &mut Context, x: &HbmTensor<i32, m![A], m![B, C]>) -> HbmTensor<i32, m![A], m![B, C]> {
        let own: Dm = x.to_dm(&mut ctx.tdma);
        let first = own.chip_shuffle([1, 2, 3, 0]);
        let second = own.chip_shuffle([2, 3, 0, 1]);
        let third = own.chip_shuffle([3, 0, 1, 2]);
        let sum = add(ctx, &own, &first);
        let sum = add(ctx, &sum, &second);
        add(ctx, &sum, &third).to_hbm(&mut ctx.tdma)
    }

    /// One row of the four that a chip has got, added to the sum of those before it.
    fn add_row(ctx: &mut Context, sum: &Part, rows: &DmTensor<i32, m![B], Cluster, m![C / 8], m![A, C % 8]>, row: usize) -> Part {
        let row: VrfTensor<i32, m![B], Cluster, m![C / 8], m![C % 8]> =
            ctx.sub.begin(rows.view().tile::<m![A], 1, _>(row)).fetch::<m![1], m![C % 8]>().collect::<m![1], m![C % 8]>().to_vrf();
        ctx.main
            .begin(sum.view())
            .fetch::<m![1], m![C % 8]>()
            .collect::<m![1], m![C % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, &row)
            .vector_final()
            .commit()
    }
    type Part = DmTensor<i32, m![B], Cluster, m![C / 8], m![C % 8]>;

    /// In C++ by `chip_slice`; here one transfer gives each chip its quarter of all rows.
    #[device(chip = 4)]
    pub fn scatter_sums(ctx: &mut Context, x: &HbmTensor<i32, m![A], m![B, C]>) -> HbmTensor<i32, m![B], m![C]> {
        let parts: HbmTensor<i32, m![B], m![A, C]> = x.to_hbm(&mut ctx.tdma);
        let parts: DmTensor<i32, m![B], Cluster, m![C / 8], m![A, C % 8]> = parts.to_dm(&mut ctx.tdma);
        let mut sum: Part =
            ctx.main.begin(parts.view().tile::<m![A], 1, _>(0)).fetch::<m![1], m![C % 8]>().collect::<m![1], m![C % 8]>().commit();
        #[unroll]
        for row in 1..A::SIZE {
            sum = add_row(ctx, &sum, &parts, row);
        }
        sum.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 15: bytes that do not fill flits.
mod padding {
    use super::*;
    type Slice = m![1 # 256];

    mod permutation {
        use super::*;
        axes![A = 3, B = 5, C = 2];
        type Abc = HbmTensor<f8e4m3, Chip, m![A # 4, B, C]>;

        #[device(chip = 1)]
        pub fn permute(ctx: &mut Context, x: &Abc) -> HbmTensor<f8e4m3, Chip, m![B, A, C # 8]> {
            let dm: DmTensor<f8e4m3, Chip, Cluster, Slice, m![A # 4, B, C]> = x.to_dm(&mut ctx.tdma);
            let turned: DmTensor<f8e4m3, Chip, Cluster, Slice, m![B, A, C # 8]> =
                ctx.main.begin(dm.view()).fetch::<m![A, B], m![C # 8]>().collect::<m![A, B], m![C # 32]>().commit();
            turned.to_hbm(&mut ctx.tdma)
        }

        #[device(chip = 1)]
        pub fn copy_rows(ctx: &mut Context, x: &Abc) -> HbmTensor<f8e4m3, Chip, m![A, [B, C] # 32]> {
            let dm: DmTensor<f8e4m3, Chip, Cluster, Slice, m![A # 4, B, C]> = x.to_dm(&mut ctx.tdma);
            let rows: DmTensor<f8e4m3, Chip, Cluster, Slice, m![A, [B, C] # 32]> =
                ctx.main.begin(dm.view()).fetch::<m![A], m![[B, C] # 32]>().collect::<m![A], m![[B, C] # 32]>().commit();
            rows.to_hbm(&mut ctx.tdma)
        }
    }

    mod tails {
        use super::*;
        axes![A = 65, B = 2];

        macro_rules! tail {
            ($name:ident, $row:literal, $step:literal) => {
                #[device(chip = 1)]
                pub fn $name(ctx: &mut Context, x: &HbmTensor<f8e4m3, Chip, m![B, A # $row]>) -> HbmTensor<f8e4m3, Chip, m![B, A # $row]> {
                    let dm: DmTensor<f8e4m3, Chip, Cluster, Slice, m![B, A # $row]> = x.to_dm(&mut ctx.tdma);
                    let out: DmTensor<f8e4m3, Chip, Cluster, Slice, m![B, A # $row]> = ctx
                        .main
                        .begin(dm.view())
                        .fetch::<m![B, A # $row / $step], m![A # $row % $step]>()
                        .collect::<m![B, A # $row / $step], m![A # $row % $step # 32]>()
                        .commit();
                    out.to_hbm(&mut ctx.tdma)
                }
            };
        }
        tail!(tail_72, 72, 24);
        tail!(tail_80, 80, 16);
        tail!(tail_88, 88, 8);
        tail!(tail_96, 96, 32);
    }

    mod segments {
        use super::*;
        axes![A = 2048, B = 32];
        type Ab = HbmTensor<f8e4m3, Chip, m![A, B]>;

        #[device(chip = 1)]
        pub fn copy_in_segments(ctx: &mut Context, x: &Ab) -> Ab {
            let from: DmTensor<f8e4m3, Chip, Cluster, Slice, m![A, B]> = x.to_dm(&mut ctx.tdma);
            let mut to: DmTensor<f8e4m3, Chip, Cluster, Slice, m![A, B]> = unsafe { DmTensor::from_addr(256 << 10) };
            for part in 0..2 {
                ctx.main
                    .begin(from.view().tile::<m![A], 1024, _>(1024 * part))
                    .fetch::<m![A = 1024], m![B]>()
                    .collect::<m![A = 1024], m![B]>()
                    .commit_view(to.view_mut().tile::<m![A], 1024, _>(1024 * part));
            }
            to.to_hbm(&mut ctx.tdma)
        }
    }
}

/// Lesson 19: between slices.
mod switches {
    use super::*;
    axes![I = 256, J = 4096];

    #[device(chip = 1)]
    pub fn broadcast_gemv(ctx: &mut Context, matrix: &HbmTensor<bf16, Chip, m![I, J]>, vector: &HbmTensor<bf16, Chip, m![J]>) -> HbmTensor<bf16, Chip, m![I, 1 # 4]> {
        let matrix: DmTensor<bf16, Chip, Cluster, m![I], m![J]> = matrix.to_dm(&mut ctx.tdma);
        let vector: DmTensor<bf16, Chip, Cluster, m![J / 16], m![J % 16]> = vector.to_dm(&mut ctx.tdma);
        let weights: TrfTensor<bf16, Chip, Cluster, m![I], m![1], m![J]> = ctx
            .sub
            .begin(vector.view())
            .fetch::<m![1], m![J % 16]>()
            .switch::<m![I], m![J / 16]>(SwitchConfig::Broadcast01 { slice1: 256, slice0: 1, time0: 1 })
            .collect::<m![J / 16], m![J % 16]>()
            .to_trf();
        let y: DmTensor<bf16, Chip, Cluster, m![I], m![1 # 4]> = ctx
            .main
            .begin(matrix.view())
            .fetch::<m![1], m![J]>()
            .collect::<m![J / 16], m![J % 16]>()
            .contract_outer::<m![J / 32], m![J % 32], _, _, _>(&weights)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![1 # 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![1 # 16]>()
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 21: a pass and a transfer at the same time.
mod overlap {
    use super::*;
    axes![A = 262144];
    type Hbm = HbmTensor<i32, Chip, m![A]>;
    type Dm = DmTensor<i32, Chip, Cluster, m![A / 1024], m![A % 1024]>;

    #[device(chip = 1)]
    pub fn add_and_load(ctx: &mut Context, x: &Hbm, y: &Hbm) -> (Hbm, Hbm) {
        let x: Dm = x.to_dm(&mut ctx.tdma);
        let sum: Dm = ctx
            .main
            .begin(x.view())
            .fetch::<m![A / 8 % 128], m![A % 8]>()
            .collect::<m![A / 8 % 128], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, 1)
            .vector_final()
            .commit();
        let y: Dm = y.to_dm(&mut ctx.tdma);
        (sum.to_hbm(&mut ctx.tdma), y.to_hbm(&mut ctx.tdma))
    }
}

/// Lesson 31: a product, step by step.
mod taken_apart {
    use super::*;
    axes![I = 512, J = 2048, K = 128];
    type A = HbmTensor<bf16, Chip, m![I, K]>;
    type B = HbmTensor<bf16, Chip, m![J, K]>;
    type C = HbmTensor<bf16, Chip, m![I, J]>;
    type Both = m![I / 256];
    type Slice = m![I / 16 % 16, J / 128];
    type Weights = TrfTensor<bf16, Chip, Both, Slice, m![J % 8], m![J / 8 % 16, K]>;
    type Result = DmTensor<bf16, Chip, Both, Slice, m![I % 16, J % 128]>;

    #[device(chip = 1)]
    pub fn one_cluster(ctx: &mut Context, a: &A, b: &B, c: &mut C) {
        type Grid = m![I / 32, J / 128];
        let a: DmTensor<bf16, Chip, Cluster, Grid, m![I % 32, K]> = a.to_dm(&mut ctx.tdma);
        let b: DmTensor<bf16, Chip, Cluster, Grid, m![J % 128, K]> = b.to_dm(&mut ctx.tdma);
        let weights: TrfTensor<bf16, Chip, Cluster, Grid, m![J % 8], m![J / 8 % 16, K]> = ctx
            .sub
            .begin(b.view())
            .fetch::<m![J % 8, J / 8 % 16], m![K]>()
            .collect::<m![J % 8, J / 8 % 16, K / 16], m![K % 16]>()
            .to_trf();
        let product: DmTensor<bf16, Chip, Cluster, Grid, m![I % 32, J % 128]> = ctx
            .main
            .begin(a.view())
            .fetch::<m![I % 32, J / 8 % 16], m![K]>()
            .collect::<m![I % 32, J / 8 % 16, K / 16], m![K % 16]>()
            .contract_outer::<m![I % 32, J / 8 % 16, K / 32], m![K % 32], _, _, _>(&weights)
            .contract_packet::<m![1]>()
            .contract_time::<m![I % 32, J / 8 % 16]>()
            .contract_lane::<m![I % 32, J / 8 % 16], m![J % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![J % 8 # 16]>()
            .commit();
        product.view().to_hbm_view(&mut ctx.tdma, c.view_mut());
    }

    fn load_weights(ctx: &mut Context, b: &B) -> Weights {
        let b: DmTensor<bf16, Chip, Both, Slice, m![J % 128, K]> = b.to_dm(&mut ctx.tdma);
        ctx.sub
            .begin(b.view())
            .fetch::<m![J % 8, J / 8 % 16], m![K]>()
            .collect::<m![J % 8, J / 8 % 16, K / 16], m![K % 16]>()
            .to_trf()
    }

    #[device(chip = 1)]
    pub fn both_clusters(ctx: &mut Context, a: &A, b: &B, c: &mut C) {
        let a: DmTensor<bf16, Chip, Both, Slice, m![I % 16, K]> = a.to_dm(&mut ctx.tdma);
        let weights = load_weights(ctx, b);
        let product: Result = ctx
            .main
            .begin(a.view())
            .fetch::<m![I % 16, J / 8 % 16], m![K]>()
            .collect::<m![I % 16, J / 8 % 16, K / 16], m![K % 16]>()
            .contract_outer::<m![I % 16, J / 8 % 16, K / 32], m![K % 32], _, _, _>(&weights)
            .contract_packet::<m![1]>()
            .contract_time::<m![I % 16, J / 8 % 16]>()
            .contract_lane::<m![I % 16, J / 8 % 16], m![J % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![J % 8 # 16]>()
            .commit();
        product.view().to_hbm_view(&mut ctx.tdma, c.view_mut());
    }

    #[device(chip = 1)]
    pub fn packets_reused(ctx: &mut Context, a: &A, b: &B, c: &mut C) {
        let a: DmTensor<bf16, Chip, Both, Slice, m![I % 16, K]> = a.to_dm(&mut ctx.tdma);
        let weights = load_weights(ctx, b);
        let product: Result = ctx
            .main
            .begin(a.view())
            .fetch::<m![I % 16], m![K]>()
            .collect::<m![I % 16, K / 16], m![K % 16]>()
            .contract_outer::<m![I % 16, K / 32, J / 8 % 16], m![K % 32], _, _, _>(&weights)
            .contract_packet::<m![1]>()
            .contract_time::<m![I % 16, J / 8 % 16]>()
            .contract_lane::<m![I % 16, J / 8 % 16], m![J % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![J % 8 # 16]>()
            .commit();
        product.view().to_hbm_view(&mut ctx.tdma, c.view_mut());
    }
}

/// Lesson 32: an RMS norm and a product with scaled weights.
mod projection {
    use super::*;
    axes![H = 512, N = 256];
    type Parts = m![H / 8 # 256];
    type First = m![1 # 256];
    type Each = m![256];
    type Number = m![1 # 8];
    type Row = m![N];
    type Token = HbmTensor<bf16, Chip, m![H]>;
    type Elements = DmTensor<bf16, Chip, Cluster, Parts, m![H % 8]>;
    const EPSILON: f32 = 1e-5;
    const SHARE: f32 = 1.0 / 512.0;

    fn squares(ctx: &mut Context, x: &Elements) -> DmTensor<f32, Chip, Cluster, Parts, Number> {
        ctx.main
            .begin(x.view())
            .fetch::<m![1], m![H % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![1], m![H % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![H / 4 % 2], m![H % 4]>()
            .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
            .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_pad::<Number>()
            .vector_final()
            .commit()
    }

    fn in_first_slice(ctx: &mut Context, sums: &DmTensor<f32, Chip, Cluster, Parts, Number>) -> DmTensor<f32, Chip, Cluster, First, Number> {
        ctx.main
            .begin(sums.view())
            .fetch::<m![1], Number>()
            .switch::<First, m![H / 8]>(SwitchConfig::Broadcast1 { slice1: 64, slice0: 1 })
            .collect::<m![H / 8], Number>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_trim::<m![1 # 4]>()
            .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_pad::<Number>()
            .vector_final()
            .commit()
    }

    fn one_over_root(ctx: &mut Context, sum: &DmTensor<f32, Chip, Cluster, First, Number>) -> DmTensor<f32, Chip, Cluster, First, Number> {
        ctx.sub
            .begin(sum.view())
            .fetch::<m![1], Number>()
            .collect::<m![1], Number>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_trim::<m![1 # 4]>()
            .vector_fp_ternary(FpTernaryOp::FmaF, (SHARE, EPSILON))
            .vector_fp_unary(FpUnaryOp::Sqrt)
            .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0)
            .vector_widen_pad::<Number>()
            .vector_final()
            .commit()
    }

    fn normalised(ctx: &mut Context, x: &Token, gain: &Token) -> Elements {
        let x: Elements = x.to_dm(&mut ctx.tdma);
        let sums = squares(ctx, &x);
        let sum = in_first_slice(ctx, &sums);
        let scale = one_over_root(ctx, &sum).to_dm::<Cluster, Each, Number>(&mut ctx.tdma);
        let kept: VrfTensor<f32, Chip, Cluster, Each, Number> =
            ctx.sub.begin(scale.view()).fetch::<m![1], Number>().collect::<m![1], Number>().to_vrf();
        let gain: Elements = gain.to_dm(&mut ctx.tdma);
        let gains: VrfTensor<f32, Chip, Cluster, Parts, m![H % 8]> =
            ctx.sub.begin(gain.view()).fetch::<m![1], m![H % 8]>().fetch_cast::<f32>().collect::<m![1], m![H % 8]>().to_vrf();
        ctx.main
            .begin(x.view())
            .fetch::<m![1], m![H % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![1], m![H % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![H / 4 % 2], m![H % 4]>()
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &kept)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &gains)
            .vector_widen_concat::<m![1], m![H % 8]>()
            .vector_final()
            .cast::<bf16, m![H % 8 # 16]>()
            .commit()
    }

    fn scaled(ctx: &mut Context, weights: &HbmTensor<f8e4m3, Chip, m![N, H]>, scales: &HbmTensor<f32, Chip, m![N, H / 32]>) -> DmTensor<bf16, Chip, Cluster, Row, m![H]> {
        let w: DmTensor<f8e4m3, Chip, Cluster, Row, m![H]> = weights.to_dm(&mut ctx.tdma);
        let scales: DmTensor<f32, Chip, Cluster, Row, m![H / 32]> = scales.to_dm(&mut ctx.tdma);
        let kept: VrfTensor<f32, Chip, Cluster, Row, m![H / 32]> =
            ctx.sub.begin(scales.view()).fetch::<m![H / 256], m![H / 32 % 8]>().collect::<m![H / 256], m![H / 32 % 8]>().to_vrf();
        ctx.sub
            .begin(w.view())
            .fetch::<m![H / 8], m![H % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![H / 8], m![H % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![H / 4], m![H % 4]>()
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &kept)
            .vector_widen_concat::<m![H / 8], m![H % 8]>()
            .vector_final()
            .cast::<bf16, m![H % 8 # 16]>()
            .commit()
    }

    #[device(chip = 1)]
    pub fn project(
        ctx: &mut Context,
        x: &Token,
        gain: &Token,
        weights: &HbmTensor<f8e4m3, Chip, m![N, H]>,
        scales: &HbmTensor<f32, Chip, m![N, H / 32]>,
    ) -> HbmTensor<f32, Chip, m![N]> {
        let w = scaled(ctx, weights, scales);
        let x = normalised(ctx, x, gain);
        let copies = x.to_dm::<Cluster, Each, m![H]>(&mut ctx.tdma);
        let named: DmTensor<bf16, Chip, Cluster, Row, m![H]> = unsafe { copies.reshape() };
        let held: TrfTensor<bf16, Chip, Cluster, Row, m![1], m![H]> =
            ctx.sub.begin(named.view()).fetch::<m![H / 16], m![H % 16]>().collect::<m![H / 16], m![H % 16]>().to_trf();
        let y: DmTensor<f32, Chip, Cluster, Row, Number> = ctx
            .main
            .begin(w.view())
            .fetch::<m![H / 16], m![H % 16]>()
            .collect::<m![H / 16], m![H % 16]>()
            .contract_outer::<m![H / 32], m![H % 32], _, _, _>(&held)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], Number>(LaneMode::Interleaved)
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 17: rows by number.
mod embedding {
    use super::*;
    axes![V = 1000, D = 64, S = 256];
    type Table = HbmTensor<f32, Chip, m![V, D]>;
    type Tokens = HbmTensor<i32, Chip, m![S]>;
    type Rows = HbmTensor<f32, Chip, m![S, D]>;
    type RowsDm = DmTensor<f32, Chip, Cluster, m![S], m![D]>;

    /// Part of lesson 17: what is done with rows once they are there.
    fn sum(ctx: &mut Context, rows: &RowsDm, position: &Rows) -> RowsDm {
        let position: RowsDm = position.to_dm(&mut ctx.tdma);
        let operand: VrfTensor<f32, Chip, Cluster, m![S], m![D]> =
            ctx.sub.begin(position.view()).fetch::<m![1], m![D]>().collect::<m![D / 8], m![D % 8]>().to_vrf();
        ctx.main
            .begin(rows.view())
            .fetch::<m![1], m![D]>()
            .collect::<m![D / 8], m![D % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_clip(ClipBinaryOpF32::Add, &operand)
            .vector_final()
            .commit()
    }

    #[device(chip = 1)]
    pub fn embed(ctx: &mut Context, table: &Table, tokens: &Tokens, position: &Rows) -> Rows {
        let rows: RowsDm = table.gather::<V, m![D]>().by_positions(tokens).to_dm();
        sum(ctx, &rows, position).to_hbm(&mut ctx.tdma)
    }

    #[device(chip = 1)]
    pub fn store(_ctx: &mut Context, table: &mut Table, tokens: &Tokens, rows: &Rows) {
        rows.view().scatter::<V>(tokens, table.view_mut());
    }
}

/// Lesson 16: decisions per element. The log of the ids has no call in the vendor's crate, so that the first pass leaves what the second one adds; nor has the filter.
mod decisions {
    use super::*;
    axes![A = 16384];
    type Hbm = HbmTensor<i32, Chip, m![A]>;
    type Dm = DmTensor<i32, Chip, Cluster, m![A / 64], m![A % 64]>;
    const NEGATIVE: TagGuard = TagGuard::matches([BitReq::One, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]);
    const LARGE: TagGuard = TagGuard::matches([BitReq::Ignore, BitReq::One, BitReq::Ignore, BitReq::Ignore]);

    macro_rules! elements {
        ($ctx:ident . $unit:ident, $x:ident) => {
            $ctx.$unit.begin($x.view()).fetch::<m![A / 8 % 8], m![A % 8]>().collect::<m![A / 8 % 8], m![A % 8]>()
        };
    }
    macro_rules! decided {
        ($ctx:ident, $x:ident) => {
            elements!($ctx.main, $x)
                .vector_init()
                .vector_intra_slice_tag(TagMode::Comparison([Cmp::Less(0), Cmp::Greater(100), Cmp::False, Cmp::False]))
        };
    }

    #[device(chip = 1)]
    pub fn decide(ctx: &mut Context, x: &Hbm, y: &Hbm) -> (Hbm, Hbm) {
        let x: Dm = x.to_dm(&mut ctx.tdma);
        let y: Dm = y.to_dm(&mut ctx.tdma);
        let scaled: Dm =
            decided!(ctx, x).vector_fxp(FxpBinaryOp::MulInt, Branched::imm(NEGATIVE, -2).imm(LARGE, 3)).vector_final().commit();
        let more: Dm = decided!(ctx, x)
            .vector_logic(LogicBinaryOpI32::BitAnd, 0)
            .vector_logic(LogicBinaryOpI32::BitOr, Branched::imm(NEGATIVE, 1000))
            .vector_final()
            .commit();
        let more: VrfTensor<i32, Chip, Cluster, m![A / 64], m![A % 64]> = elements!(ctx.sub, more).to_vrf();
        let shifted: Dm = elements!(ctx.main, y)
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, &more)
            .vector_final()
            .commit();
        (scaled.to_hbm(&mut ctx.tdma), shifted.to_hbm(&mut ctx.tdma))
    }
}

/// Lesson 20: running sums. The vendor's crate has no call that writes an operand on the way, so that each row waits for the sum before it.
mod prefix_sums {
    use super::*;
    axes![T = 64, A = 4096];
    type Both = m![A / 2048];
    type Slice = m![A / 8 % 256];
    type Row = m![A % 8];
    type Rows = DmTensor<i32, Chip, Both, Slice, m![T, A % 8]>;

    #[device(chip = 1)]
    pub fn running_sum(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![T, A]>) -> HbmTensor<i32, Chip, m![T, A]> {
        let x: Rows = x.to_dm(&mut ctx.tdma);
        let mut sums: Rows = DmTensor::new();
        ctx.main.begin(x.view().tile::<m![T], 1, _>(0)).fetch::<m![1], Row>().collect::<m![1], Row>().commit_view(sums.view_mut().tile::<m![T], 1, _>(0));
        #[unroll]
        for t in 1..T::SIZE {
            let before: VrfTensor<i32, Chip, Both, Slice, Row> =
                ctx.sub.begin(sums.view().tile::<m![T], 1, _>(t - 1)).fetch::<m![1], Row>().collect::<m![1], Row>().to_vrf();
            ctx.main
                .begin(x.view().tile::<m![T], 1, _>(t))
                .fetch::<m![1], Row>()
                .collect::<m![1], Row>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_fxp(FxpBinaryOp::AddFxp, &before)
                .vector_final()
                .commit_view(sums.view_mut().tile::<m![T], 1, _>(t));
        }
        sums.to_hbm(&mut ctx.tdma)
    }
}
