// Lessons 22 to 24, 27, 28 and the last steps of 31, whose kernels are the library's in C++, as a person writes them in Rust: for the sizes of the lessons, since sizes are
// types here.
use vendor_std::prelude::*;

type Chip = m![1];

/// Lesson 22: products whose sizes divide by nothing. B has its columns as rows, as often as it takes to fill a tile of 64 or 128 of them.
mod any_size {
    use super::*;

    /// One number by one number, in the corner of a tile.
    pub mod one_by_one {
        use super::*;
        axes![Copy = 64, Own = 8];
        type Cluster = m![1 # 2];
        type Slice = m![Copy / 8 # 256];
        type Result = HbmTensor<i32, Chip, m![1 # 64]>;

        #[device(chip = 1)]
        pub fn gemm_1_1_1(ctx: &mut Context, a: &HbmTensor<i8, Chip, m![1 # 256]>, b: &HbmTensor<i8, Chip, m![Copy, 1 # 256]>) -> Result {
            let b: DmTensor<i8, Chip, Cluster, Slice, m![Copy % 8, 1 # 64]> = b.to_dm(&mut ctx.tdma);
            let a: DmTensor<i8, Chip, Cluster, Slice, m![1 # 64]> = a.to_dm(&mut ctx.tdma);
            let weights: TrfTensor<i8, Chip, Cluster, Slice, m![Copy % 8], m![1 # 64]> =
                ctx.sub.begin(b.view()).fetch::<m![Copy % 8, 1 # 2], m![1 # 32]>().collect::<m![Copy % 8, 1 # 2], m![1 # 32]>().to_trf();
            let sums: DmTensor<i32, Chip, Cluster, Slice, m![Copy % 8 # 64]> = ctx
                .main
                .begin(a.view())
                .fetch::<m![1], m![1 #{0} 64]>()
                .collect::<m![1 #{0} 2], m![1 #{0} 32]>()
                .contract_outer::<m![1], m![1 #{0} 64], _, _, _>(&weights)
                .contract_packet::<m![1]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![1], m![Copy % 8]>(LaneMode::Interleaved)
                .commit();
            let row: DmTensor<i32, Chip, Cluster, m![1 # 256], m![Copy]> = ctx
                .main
                .begin(sums.view())
                .fetch::<m![1 # 8], m![Copy % 8]>()
                .switch::<m![1 # 256], m![Copy / 8]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                .collect::<m![Copy / 8], m![Copy % 8]>()
                .commit();
            let all: HbmTensor<i32, Chip, m![Copy]> = row.to_hbm(&mut ctx.tdma);
            all.view().tile::<m![Copy], 1, _>(0).to_hbm(&mut ctx.tdma)
        }
    }

    /// Seven rows, a slice for each; the columns are beside each other in eight more.
    pub mod few_rows {
        use super::*;
        axes![M = 7, N = 5, K = 3, Copy = 13, Row = 65, Column = 64];
        type Cluster = m![M # 8 / 4];
        type Slice = m![M # 8 % 4, Column / 8 # 64];

        #[device(chip = 1)]
        pub fn gemm_7_5_3(ctx: &mut Context, a: &HbmTensor<i8, Chip, m![M, K # 256]>, b: &HbmTensor<i8, Chip, m![Copy, N, K # 256]>) -> HbmTensor<i32, Chip, m![M, N # 64]> {
            let rows: HbmTensor<i8, Chip, m![Row, K # 256]> = unsafe { b.reshape() };
            let columns: HbmTensorView<'_, i8, Chip, m![Column # 65, K # 256]> = unsafe { rows.view().tile::<m![Row], 64, _>(0).reshape() };
            let b: DmTensor<i8, Chip, Cluster, Slice, m![Column % 8, K # 64]> = columns.to_dm(&mut ctx.tdma);
            let a: DmTensor<i8, Chip, Cluster, Slice, m![K # 64]> = a.to_dm(&mut ctx.tdma);
            let weights: TrfTensor<i8, Chip, Cluster, Slice, m![Column % 8], m![K # 64]> =
                ctx.sub.begin(b.view()).fetch::<m![Column % 8, 1 # 2], m![K # 32]>().collect::<m![Column % 8, 1 # 2], m![K # 32]>().to_trf();
            let sums: DmTensor<i32, Chip, Cluster, Slice, m![Column % 8 # 64]> = ctx
                .main
                .begin(a.view())
                .fetch::<m![1], m![K #{0} 64]>()
                .collect::<m![1 #{0} 2], m![K #{0} 32]>()
                .contract_outer::<m![1], m![K #{0} 64], _, _, _>(&weights)
                .contract_packet::<m![1]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![1], m![Column % 8]>(LaneMode::Interleaved)
                .commit();
            let row: DmTensor<i32, Chip, Cluster, m![M # 8 % 4, 1 # 64], m![Column]> = ctx
                .main
                .begin(sums.view())
                .fetch::<m![1 # 8], m![Column % 8]>()
                .switch::<m![M # 8 % 4, 1 # 64], m![Column / 8]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                .collect::<m![Column / 8], m![Column % 8]>()
                .commit();
            let all: HbmTensor<i32, Chip, m![M, Column]> = row.to_hbm(&mut ctx.tdma);
            let product: HbmTensorView<'_, i32, Chip, m![M, N # 64]> = unsafe { all.view().tile::<m![Column], 5, _>(0).reshape() };
            product.to_hbm(&mut ctx.tdma)
        }
    }

    /// More rows than slices of a ring: each holds some, and they go round the ring while the columns stay where they are.
    macro_rules! gemm_in_rings {
        ($module:ident, $name:ident, $m:literal, $n:literal, $k:literal, $copies:literal, $rows:literal, $columns:literal, $rings:literal, $ring:literal) => {
            pub mod $module {
                use super::*;
                axes![M = $m, N = $n, K = $k, Copy = $copies, Row = $rows, Ring = $rings, InRing = 8, Own = 8, Column = $columns];
                type Cluster = m![M # 64 / 32];
                type ByColumns = m![M # 64 / 8 % 4, Ring, InRing # $ring];
                type ByRows = m![M # 64 / 8 % 4, Ring, M # 64 % 8 # $ring];

                #[device(chip = 1)]
                pub fn $name(ctx: &mut Context, a: &HbmTensor<i8, Chip, m![M, K # 256]>, b: &HbmTensor<i8, Chip, m![Copy, N, K # 256]>) -> HbmTensor<i32, Chip, m![M, N # $columns]> {
                    let rows: HbmTensor<i8, Chip, m![Row, K # 256]> = unsafe { b.reshape() };
                    let columns: HbmTensorView<'_, i8, Chip, m![[Ring, InRing, Own] # $rows, K # 256]> = unsafe { rows.view().tile::<m![Row], $columns, _>(0).reshape() };
                    let b: DmTensor<i8, Chip, Cluster, ByColumns, m![Own, K # 128]> = columns.to_dm(&mut ctx.tdma);
                    let a: DmTensor<i8, Chip, Cluster, ByRows, m![K # 128]> = a.to_dm(&mut ctx.tdma);
                    let weights: TrfTensor<i8, Chip, Cluster, ByColumns, m![Own], m![K # 128]> = ctx
                        .sub
                        .begin(b.view())
                        .fetch::<m![Own, K # 128 / 32], m![K # 128 % 32]>()
                        .collect::<m![Own, K # 128 / 32], m![K # 128 % 32]>()
                        .to_trf();
                    let sums: DmTensor<i32, Chip, Cluster, ByColumns, m![M # 64 % 8, Own]> = ctx
                        .main
                        .begin(a.view())
                        .fetch::<m![K #{0} 128 / 64], m![K #{0} 128 % 64]>()
                        .switch::<ByColumns, m![M # 64 % 8, K #{0} 128 / 64]>(SwitchConfig::Broadcast01 { slice1: 8, slice0: 1, time0: 2 })
                        .collect::<m![M # 64 % 8, K #{0} 128 / 32], m![K #{0} 128 % 32]>()
                        .contract_outer::<m![M # 64 % 8, K #{0} 128 / 64], m![K #{0} 128 % 64], _, _, _>(&weights)
                        .contract_packet::<m![1]>()
                        .contract_time::<m![M # 64 % 8]>()
                        .contract_lane::<m![M # 64 % 8], m![Own]>(LaneMode::Interleaved)
                        .commit();
                    let product: DmTensor<i32, Chip, Cluster, ByRows, m![InRing, Own]> = ctx
                        .main
                        .begin(sums.view())
                        .fetch::<m![M # 64 % 8], m![Own]>()
                        .switch::<ByRows, m![InRing]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                        .collect::<m![InRing], m![Own]>()
                        .commit();
                    let all: HbmTensor<i32, Chip, m![M, Ring, InRing, Own]> = product.to_hbm(&mut ctx.tdma);
                    let all: HbmTensor<i32, Chip, m![M, Column]> = unsafe { all.reshape() };
                    let named: HbmTensorView<'_, i32, Chip, m![M, N # $columns]> = unsafe { all.view().tile::<m![Column], $n, _>(0).reshape() };
                    named.to_hbm(&mut ctx.tdma)
                }
            }
        };
    }
    gemm_in_rings!(twenty_columns, gemm_33_20_65, 33, 20, 65, 4, 80, 64, 1, 64);
    gemm_in_rings!(two_rings, gemm_60_77_90, 60, 77, 90, 2, 154, 128, 2, 32);

    /// A vector by a matrix: K is cut into parts, whose sums are added in the Vector Engine.
    pub mod in_parts {
        use super::*;
        axes![N = 140, K = 520, Copy = 2, Row = 280, Column = 256, X = 2];
        axes![Half = 2, Part = 192, Last = 136]; // of K: two parts, and what is left
        type Cluster = m![1 # 2];
        type Slice = m![Column / 64, Column / 8 % 8 # 64];
        type Sums<E> = DmTensor<i32, Chip, Cluster, Slice, E>;
        type Piece<E> = DmTensor<i8, Chip, Cluster, Slice, E>;

        macro_rules! load {
            ($ctx:ident, $b:ident, $part:ident, $length:literal, $start:literal) => {{
                let rows: HbmTensor<i8, Chip, m![Row, K # 768]> = unsafe { $b.reshape() };
                let part = rows.view().tile::<m![Row], 256, _>(0).tile::<m![K], $length, _>($start);
                let columns: HbmTensorView<'_, i8, Chip, m![Column # 280, $part # 768]> = unsafe { part.reshape() };
                columns.to_dm::<Cluster, Slice, m![Column % 8, $part # 192]>(&mut $ctx.tdma)
            }};
        }
        macro_rules! multiply {
            ($ctx:ident, $a:expr, $b:ident, $part:ident) => {{
                let weights: TrfTensor<i8, Chip, Cluster, Slice, m![Column % 8], m![$part # 192]> = $ctx
                    .sub
                    .begin($b.view())
                    .fetch::<m![Column % 8, $part # 192 / 32], m![$part # 192 % 32]>()
                    .collect::<m![Column % 8, $part # 192 / 32], m![$part # 192 % 32]>()
                    .to_trf();
                $ctx.main
                    .begin($a)
                    .fetch::<m![$part #{0} 192 / 64], m![$part #{0} 192 % 64]>()
                    .collect::<m![$part #{0} 192 / 32], m![$part #{0} 192 % 32]>()
                    .contract_outer::<m![$part #{0} 192 / 64], m![$part #{0} 192 % 64], _, _, _>(&weights)
                    .contract_packet::<m![1]>()
                    .contract_time::<m![1]>()
                    .contract_lane::<m![1], m![Column % 8]>(LaneMode::Interleaved)
            }};
        }
        fn sum<E: M>(ctx: &mut Context, x: &Sums<m![Column % 8]>, y: &Sums<m![Column % 8]>) -> Sums<E> {
            ctx.main
                .begin_interleaved::<X, _, _, _, _, _>(x.view(), y.view())
                .fetch::<m![X], m![Column % 8]>()
                .collect::<m![X], m![Column % 8]>()
                .vector_init()
                .vector_intra_slice_unzip::<X, m![1 # 2], m![1]>()
                .vector_fxp_zip(FxpBinaryOp::AddFxp)
                .vector_final()
                .commit()
        }

        #[device(chip = 1)]
        pub fn gemm_1_140_520(ctx: &mut Context, a: &HbmTensor<i8, Chip, m![K # 768]>, b: &HbmTensor<i8, Chip, m![Copy, N, K # 768]>) -> HbmTensor<i32, Chip, m![N # 192]> {
            let two: HbmTensorView<'_, i8, Chip, m![Half # 4, Part]> = unsafe { a.view().tile::<m![K], 384, _>(0).reshape() };
            let last: HbmTensorView<'_, i8, Chip, m![Last # 768]> = unsafe { a.view().tile::<m![K], 136, _>(384).reshape() };
            let two: Piece<m![Half, Part]> = two.to_dm(&mut ctx.tdma);
            let last: Piece<m![Last # 192]> = last.to_dm(&mut ctx.tdma);
            let (b_first, b_second, b_third) = (load!(ctx, b, Part, 192, 0), load!(ctx, b, Part, 192, 192), load!(ctx, b, Last, 136, 384));
            let first: Sums<m![Column % 8]> = multiply!(ctx, two.view().tile::<m![Half], 1, _>(0), b_first, Part).commit();
            let second: Sums<m![Column % 8]> = multiply!(ctx, two.view().tile::<m![Half], 1, _>(1), b_second, Part).commit();
            let both: Sums<m![Column % 8]> = sum(ctx, &first, &second);
            let third: Sums<m![Column % 8]> = multiply!(ctx, last.view(), b_third, Last).commit();
            let sums: Sums<m![Column % 8 # 64]> = sum(ctx, &both, &third);
            let row: DmTensor<i32, Chip, Cluster, m![Column / 64, 1 # 64], m![Column % 64]> = ctx
                .main
                .begin(sums.view())
                .fetch::<m![1 # 8], m![Column % 8]>()
                .switch::<m![Column / 64, 1 # 64], m![Column / 8 % 8]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                .collect::<m![Column / 8 % 8], m![Column % 8]>()
                .commit();
            let all: HbmTensor<i32, Chip, m![Column]> = row.to_hbm(&mut ctx.tdma);
            let named: HbmTensorView<'_, i32, Chip, m![N # 256]> = unsafe { all.view().tile::<m![Column], 140, _>(0).reshape() };
            named.to_hbm(&mut ctx.tdma)
        }
    }
}

/// Lesson 23: a batch of products, and products over chips.
mod batches_and_chips {
    use super::*;

    pub mod batch {
        use super::*;
        axes![G = 6, M = 20, N = 33, K = 64, Copy = 2, Row = 66, Beside = 2, InRing = 4, Own = 8, Column = 64];
        type Cluster = m![M # 32 / 16];
        type ByColumns = m![M # 32 / 4 % 4, Beside # 16, InRing];
        type ByRows = m![M # 32 / 4 % 4, Beside # 16, M # 32 % 4];
        type Turned = m![M # 32 / 4 % 4, M # 32 % 4 # 64];

        /// Each product has matrices of its own, as the heads of attention have.
        #[device(chip = 1)]
        pub fn batched(ctx: &mut Context, a: &HbmTensor<i8, Chip, m![G, M, K # 256]>, b: &HbmTensor<i8, Chip, m![G, Copy, N, K # 256]>) -> HbmTensor<i32, Chip, m![G, M, N # 64]> {
            let rows: HbmTensor<i8, Chip, m![G, Row, K # 256]> = unsafe { b.reshape() };
            let mut all: HbmTensor<i32, Chip, m![G, M, Column]> = HbmTensor::new();
            #[unroll]
            for g in 0..G::SIZE {
                let columns: HbmTensorView<'_, i8, Chip, m![[Beside, InRing, Own] # 396, K # 256]> =
                    unsafe { rows.view().tile::<m![G], 1, _>(g).tile::<m![Row], 64, _>(0).reshape() };
                let b: DmTensor<i8, Chip, Cluster, ByColumns, m![Own, K]> = columns.to_dm(&mut ctx.tdma);
                let a: DmTensor<i8, Chip, Cluster, ByRows, m![K]> = a.view().tile::<m![G], 1, _>(g).to_dm(&mut ctx.tdma);
                let weights: TrfTensor<i8, Chip, Cluster, ByColumns, m![Own], m![K]> =
                    ctx.sub.begin(b.view()).fetch::<m![Own, K / 32], m![K % 32]>().collect::<m![Own, K / 32], m![K % 32]>().to_trf();
                let sums: DmTensor<i32, Chip, Cluster, ByColumns, m![M # 32 % 4 # 8, Own]> = ctx
                    .main
                    .begin(a.view())
                    .fetch::<m![1], m![K]>()
                    .switch::<ByColumns, m![M # 32 % 4]>(SwitchConfig::Broadcast01 { slice1: 4, slice0: 1, time0: 1 })
                    .collect::<m![M # 32 % 4, K / 32], m![K % 32]>()
                    .contract_outer::<m![M # 32 % 4], m![K], _, _, _>(&weights)
                    .contract_packet::<m![1]>()
                    .contract_time::<m![M # 32 % 4]>()
                    .contract_lane::<m![M # 32 % 4], m![Own]>(LaneMode::Interleaved)
                    .commit();
                let product: DmTensor<i32, Chip, Cluster, Turned, m![Beside, InRing, Own]> = ctx
                    .main
                    .begin(sums.view())
                    .fetch::<m![M # 32 % 4 # 8], m![Own]>()
                    .switch::<Turned, m![Beside, InRing]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                    .collect::<m![Beside, InRing], m![Own]>()
                    .commit();
                let place: HbmTensorViewMut<'_, i32, Chip, m![M # 120, Beside, InRing, Own]> = unsafe { all.view_mut().tile::<m![G], 1, _>(g).reshape() };
                product.view().to_hbm_view(&mut ctx.tdma, place);
            }
            let named: HbmTensorView<'_, i32, Chip, m![G, M, N # 64]> = unsafe { all.view().tile::<m![Column], 33, _>(0).reshape() };
            named.to_hbm(&mut ctx.tdma)
        }
    }

    /// What every chip does: its part of B, or of K, is in its own HBM. Over K, the sums of the chips are still to be added.
    pub mod on_chips {
        use super::*;
        axes![Part = 4, M = 12, N = 64, K = 64, Beside = 4, InRing = 2, Own = 8];
        type Cluster = m![M # 16 / 8];
        type ByColumns = m![M # 16 / 2 % 4, Beside # 32, InRing];
        type ByRows = m![M # 16 / 2 % 4, Beside # 32, M # 16 % 2];
        type Turned = m![M # 16 / 2 % 4, M # 16 % 2 # 64];
        type Left = HbmTensor<i8, m![Part], m![M, K # 256]>;
        type Right = HbmTensor<i8, m![Part], m![N, K # 256]>;
        type Product = HbmTensor<i32, m![Part], m![M, N]>;

        fn multiply(ctx: &mut Context, a: &Left, b: &Right) -> Product {
            let columns: HbmTensor<i8, m![Part], m![Beside, InRing, Own, K # 256]> = unsafe { b.reshape() };
            let b: DmTensor<i8, m![Part], Cluster, ByColumns, m![Own, K]> = columns.to_dm(&mut ctx.tdma);
            let a: DmTensor<i8, m![Part], Cluster, ByRows, m![K]> = a.to_dm(&mut ctx.tdma);
            let weights: TrfTensor<i8, m![Part], Cluster, ByColumns, m![Own], m![K]> =
                ctx.sub.begin(b.view()).fetch::<m![Own, K / 32], m![K % 32]>().collect::<m![Own, K / 32], m![K % 32]>().to_trf();
            let sums: DmTensor<i32, m![Part], Cluster, ByColumns, m![M # 16 % 2 # 8, Own]> = ctx
                .main
                .begin(a.view())
                .fetch::<m![1], m![K]>()
                .switch::<ByColumns, m![M # 16 % 2]>(SwitchConfig::Broadcast01 { slice1: 2, slice0: 1, time0: 1 })
                .collect::<m![M # 16 % 2, K / 32], m![K % 32]>()
                .contract_outer::<m![M # 16 % 2], m![K], _, _, _>(&weights)
                .contract_packet::<m![1]>()
                .contract_time::<m![M # 16 % 2]>()
                .contract_lane::<m![M # 16 % 2], m![Own]>(LaneMode::Interleaved)
                .commit();
            let product: DmTensor<i32, m![Part], Cluster, Turned, m![Beside, InRing, Own]> = ctx
                .main
                .begin(sums.view())
                .fetch::<m![M # 16 % 2 # 8], m![Own]>()
                .switch::<Turned, m![Beside, InRing]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                .collect::<m![Beside, InRing], m![Own]>()
                .commit();
            let all: HbmTensor<i32, m![Part], m![M, Beside, InRing, Own]> = product.to_hbm(&mut ctx.tdma);
            unsafe { all.reshape() }
        }

        #[device(chip = 4)]
        pub fn over_n(ctx: &mut Context, a: &Left, b: &Right) -> Product {
            multiply(ctx, a, b)
        }
        #[device(chip = 4)]
        pub fn over_k(ctx: &mut Context, a: &Left, b: &Right) -> Product {
            multiply(ctx, a, b)
        }
    }
}


/// Lesson 24: row by row. A residual connection and RMSNorm for one token and for many, and softmax.
mod rows {
    use super::*;
    type Number = m![1 # 8];
    const EPSILON: f32 = 1e-5;

    /// One token: its row is spread over 32 slices.
    pub mod one_token {
        use super::*;
        axes![H = 4096, X = 2];
        type Cluster = m![1 # 2];
        type Slice = m![H / 128 # 256];
        type Spread = m![32 # 256]; // a number that all of these slices have
        type Row = HbmTensor<bf16, Chip, m![H]>;
        type Dm = DmTensor<bf16, Chip, Cluster, Slice, m![H % 128]>;

        fn add(ctx: &mut Context, x: &Row, y: &Row) -> Row {
            let x: Dm = x.to_dm(&mut ctx.tdma);
            let y: Dm = y.to_dm(&mut ctx.tdma);
            let sum: Dm = ctx
                .main
                .begin_interleaved::<X, _, _, _, _, _>(x.view(), y.view())
                .fetch::<m![H / 8 % 16, X], m![H % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![H / 8 % 16, X], m![H % 8]>()
                .vector_init()
                .vector_intra_slice_unzip::<X, m![H / 8 % 16, 1 # 2], m![H / 8 % 16]>()
                .vector_narrow_split::<m![H / 4 % 32], m![H % 4]>()
                .vector_fp_zip(FpBinaryOp::AddF)
                .vector_widen_concat::<m![H / 8 % 16], m![H % 8]>()
                .vector_final()
                .cast::<bf16, m![H % 8 # 16]>()
                .commit();
            sum.to_hbm(&mut ctx.tdma)
        }

        fn norm(ctx: &mut Context, x: &Row, weight: &Row) -> Row {
            let x: Dm = x.to_dm(&mut ctx.tdma);
            let squares: DmTensor<f32, Chip, Cluster, Spread, Number> = ctx
                .main
                .begin(x.view())
                .fetch::<m![H / 8 % 16], m![H % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![H / 8 % 16], m![H % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![H / 4 % 32], m![H % 4]>()
                .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
                .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
                .vector_widen_pad::<Number>()
                .vector_inter_slice_reduce::<Spread, m![1]>(InterSliceReduceOpF32::Add)
                .vector_final()
                .commit();
            let weight: Dm = weight.to_dm(&mut ctx.tdma);
            let weight: VrfTensor<f32, Chip, Cluster, Slice, m![H % 128]> =
                ctx.sub.begin(weight.view()).fetch::<m![H / 8 % 16], m![H % 8]>().fetch_cast::<f32>().collect::<m![H / 8 % 16], m![H % 8]>().to_vrf();
            let scale: DmTensor<f32, Chip, Cluster, Spread, Number> = ctx
                .main
                .begin(squares.view())
                .fetch::<m![1], Number>()
                .collect::<m![1], Number>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_trim::<m![1 # 4]>()
                .vector_fp_ternary(FpTernaryOp::FmaF, (1.0 / 4096.0, EPSILON))
                .vector_fp_unary(FpUnaryOp::Sqrt)
                .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0)
                .vector_widen_pad::<Number>()
                .vector_final()
                .commit();
            let scale: VrfTensor<f32, Chip, Cluster, Spread, Number> = ctx.sub.begin(scale.view()).fetch::<m![1], Number>().collect::<m![1], Number>().to_vrf();
            let y: Dm = ctx
                .main
                .begin(x.view())
                .fetch::<m![H / 8 % 16], m![H % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![H / 8 % 16], m![H % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![H / 4 % 32], m![H % 4]>()
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &scale)
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &weight)
                .vector_widen_concat::<m![H / 8 % 16], m![H % 8]>()
                .vector_final()
                .cast::<bf16, m![H % 8 # 16]>()
                .commit();
            y.to_hbm(&mut ctx.tdma)
        }

        #[device(chip = 1)]
        pub fn add_and_norm_one(ctx: &mut Context, x: &Row, y: &Row, weight: &Row) -> Row {
            let sum = add(ctx, x, y);
            norm(ctx, &sum, weight)
        }
    }

    /// A hundred tokens, two of them in each group of eight slices. 1,002 columns fill no packet of four evenly: squares are taken two by two.
    pub mod many_tokens {
        use super::*;
        axes![T = 100, H = 1002, X = 2];
        type Cluster = m![T / 50];
        type Slice = m![T / 2 % 25 # 32, H # 1024 / 128];
        type Spread = m![T / 2 % 25 # 32, 8];
        type Eights = m![T % 2, H # 1024 / 8 % 16];
        type Eight = m![H # 1024 % 8];
        type Four = m![H # 1024 % 4];
        type Rows = HbmTensor<bf16, Chip, m![T, H # 1024]>;
        type Dm = DmTensor<bf16, Chip, Cluster, Slice, m![T % 2, H # 1024 % 128]>;
        type Numbers = DmTensor<f32, Chip, Cluster, Spread, m![T % 2, 1 # 8]>;

        fn add(ctx: &mut Context, x: &Rows, y: &Rows) -> Rows {
            let x: Dm = x.to_dm(&mut ctx.tdma);
            let y: Dm = y.to_dm(&mut ctx.tdma);
            let sum: Dm = ctx
                .main
                .begin_interleaved::<X, _, _, _, _, _>(x.view(), y.view())
                .fetch::<m![{ Eights }, X], Eight>()
                .fetch_cast::<f32>()
                .collect::<m![{ Eights }, X], Eight>()
                .vector_init()
                .vector_intra_slice_unzip::<X, m![{ Eights }, 1 # 2], Eights>()
                .vector_narrow_split::<m![T % 2, H # 1024 / 4 % 32], Four>()
                .vector_fp_zip(FpBinaryOp::AddF)
                .vector_widen_concat::<Eights, Eight>()
                .vector_final()
                .cast::<bf16, m![{ Eight } # 16]>()
                .commit();
            sum.to_hbm(&mut ctx.tdma)
        }

        fn norm(ctx: &mut Context, x: &Rows, weight: &HbmTensor<bf16, Chip, m![H # 1024]>) -> Rows {
            let x: Dm = x.to_dm(&mut ctx.tdma);
            let squares: Numbers = ctx
                .main
                .begin(x.view())
                .fetch::<m![T % 2, H # 1024 / 2 % 64], m![H % 2]>()
                .fetch_cast::<f32>()
                .collect::<m![T % 2, H # 1024 / 2 % 64], m![H % 2 # 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_trim::<m![H % 2 # 4]>()
                .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
                .vector_intra_slice_reduce::<H, m![T % 2], m![1 # 4]>(IntraSliceReduceOpF32::Add)
                .vector_widen_pad::<Number>()
                .vector_inter_slice_reduce::<Spread, m![T % 2]>(InterSliceReduceOpF32::Add)
                .vector_final()
                .commit();
            let weight: DmTensor<bf16, Chip, m![2], m![25 # 32, H # 1024 / 128], m![H # 1024 % 128]> = weight.to_dm(&mut ctx.tdma);
            let weight: VrfTensor<f32, Chip, m![2], m![25 # 32, H # 1024 / 128], m![H # 1024 % 128]> =
                ctx.sub.begin(weight.view()).fetch::<m![H # 1024 / 8 % 16], Eight>().fetch_cast::<f32>().collect::<m![H # 1024 / 8 % 16], Eight>().to_vrf();
            let scale: Numbers = ctx
                .main
                .begin(squares.view())
                .fetch::<m![T % 2], Number>()
                .collect::<m![T % 2], Number>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_trim::<m![1 # 4]>()
                .vector_fp_ternary(FpTernaryOp::FmaF, (1.0 / 1002.0, EPSILON))
                .vector_fp_unary(FpUnaryOp::Sqrt)
                .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0)
                .vector_widen_pad::<Number>()
                .vector_final()
                .commit();
            let scale: VrfTensor<f32, Chip, Cluster, Spread, m![T % 2, 1 # 8]> =
                ctx.sub.begin(scale.view()).fetch::<m![T % 2], Number>().collect::<m![T % 2], Number>().to_vrf();
            let y: Dm = ctx
                .main
                .begin(x.view())
                .fetch::<Eights, Eight>()
                .fetch_cast::<f32>()
                .collect::<Eights, Eight>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![T % 2, H # 1024 / 4 % 32], Four>()
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &scale)
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &weight)
                .vector_widen_concat::<Eights, Eight>()
                .vector_final()
                .cast::<bf16, m![{ Eight } # 16]>()
                .commit();
            y.to_hbm(&mut ctx.tdma)
        }

        #[device(chip = 1)]
        pub fn add_and_norm_many(ctx: &mut Context, x: &Rows, y: &Rows, weight: &HbmTensor<bf16, Chip, m![H # 1024]>) -> Rows {
            let sum = add(ctx, x, y);
            norm(ctx, &sum, weight)
        }
    }

    /// Each row is spread over eight slices; what they find is joined by the reduce between slices.
    pub mod softmax {
        use super::*;
        axes![R = 6, C = 1000];
        type Cluster = m![R / 3];
        type Slice = m![R % 3 # 32, C # 1024 / 128];
        type Spread = m![R % 3 # 32, 8];
        type Time = m![C # 1024 / 8 % 16];
        type Rows = HbmTensor<bf16, Chip, m![R, C # 1024]>;
        type Dm = DmTensor<bf16, Chip, Cluster, Slice, m![C # 1024 % 128]>;
        type Numbers = DmTensor<f32, Chip, Cluster, Spread, Number>;
        type Kept = VrfTensor<f32, Chip, Cluster, Spread, Number>;

        macro_rules! scores {
            ($ctx:ident, $x:expr) => {
                $ctx.main
                    .begin($x.view())
                    .fetch::<Time, m![C % 8]>()
                    .fetch_cast::<f32>()
                    .collect::<Time, m![C % 8]>()
                    .vector_init()
                    .vector_intra_slice_tag(TagMode::Zero)
                    .vector_narrow_split::<m![C # 1024 / 4 % 32], m![C % 4]>()
            };
        }
        fn keep(ctx: &mut Context, x: &Numbers) -> Kept {
            ctx.sub.begin(x.view()).fetch::<m![1], Number>().collect::<m![1], Number>().to_vrf()
        }

        #[device(chip = 1)]
        pub fn softmax_of_rows(ctx: &mut Context, x: &Rows) -> Rows {
            let x: Dm = x.to_dm(&mut ctx.tdma);
            let greatest: Numbers = scores!(ctx, x)
                .vector_intra_slice_reduce::<C, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
                .vector_widen_pad::<Number>()
                .vector_inter_slice_reduce::<Spread, m![1]>(InterSliceReduceOpF32::Max)
                .vector_final()
                .commit();
            let greatest = keep(ctx, &greatest);
            let sum: Numbers = scores!(ctx, x)
                .vector_fp_binary(FpBinaryOp::SubF, &greatest)
                .vector_fp_unary(FpUnaryOp::Exp)
                .vector_intra_slice_reduce::<C, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
                .vector_widen_pad::<Number>()
                .vector_inter_slice_reduce::<Spread, m![1]>(InterSliceReduceOpF32::Add)
                .vector_final()
                .commit();
            let sum = keep(ctx, &sum);
            let y: Dm = scores!(ctx, x)
                .vector_fp_binary(FpBinaryOp::SubF, &greatest)
                .vector_fp_unary(FpUnaryOp::Exp)
                .vector_fp_div(FpDivBinaryOp::DivF, &sum)
                .vector_widen_concat::<Time, m![C % 8]>()
                .vector_final()
                .cast::<bf16, m![C % 8 # 16]>()
                .commit();
            y.to_hbm(&mut ctx.tdma)
        }
    }
}


/// Lesson 27: one token of two sequences against their caches. What the cache does not hold yet counts nothing: its scores are minus infinity, its values zero.
mod decode_with_cache {
    use super::*;
    axes![S = 2, H = 2, G = 4, D = 32, P = 512, W = 256, E = 16];
    type Cluster = m![H];
    type Query = HbmTensor<bf16, Chip, m![S, H, G, D]>;
    type Token = HbmTensor<bf16, Chip, m![S, H # 4, D]>;
    type Cache = HbmTensor<bf16, Chip, m![S, H, P, D]>;
    type Scores = DmTensor<f32, Chip, Cluster, m![W], m![E, G # 8]>;
    const SCALE: f32 = 0.17677669; // 1 / sqrt(D)

    /// exp((score - greatest) / sqrt(D)), four of them at a time.
    macro_rules! weights {
        ($ctx:ident, $scores:expr, $greatest:expr) => {
            $ctx.main
                .begin($scores.view())
                .fetch::<m![E], m![G # 8]>()
                .collect::<m![E], m![G # 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![E, 1 # 2], m![G]>()
                .vector_fp_binary(FpBinaryOp::SubF, $greatest)
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SCALE)
                .vector_fp_unary(FpUnaryOp::Exp)
        };
    }

    fn greatest(ctx: &mut Context, scores: &Scores) -> VrfTensor<f32, Chip, Cluster, m![256], m![G # 8]> {
        let all: DmTensor<f32, Chip, Cluster, m![256], m![G # 8]> = ctx
            .main
            .begin(scores.view())
            .fetch::<m![E], m![G # 8]>()
            .collect::<m![E], m![G # 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![E, 1 # 2], m![G]>()
            .vector_intra_slice_reduce::<E, m![1 # 2], m![G]>(IntraSliceReduceOpF32::Max)
            .vector_widen_concat::<m![1], m![G # 8]>()
            .vector_inter_slice_reduce::<m![256], m![1]>(InterSliceReduceOpF32::Max)
            .vector_final()
            .commit();
        ctx.sub.begin(all.view()).fetch::<m![1], m![G # 8]>().collect::<m![1], m![G # 8]>().to_vrf()
    }

    fn total(ctx: &mut Context, scores: &Scores, greatest: &VrfTensor<f32, Chip, Cluster, m![256], m![G # 8]>) -> VrfTensor<f32, Chip, Cluster, m![1 # 256], m![G # 8]> {
        let sum: DmTensor<f32, Chip, Cluster, m![1 # 256], m![G # 8]> = weights!(ctx, scores, greatest)
            .vector_intra_slice_reduce::<E, m![1 # 2], m![G]>(IntraSliceReduceOpF32::Add)
            .vector_widen_concat::<m![1], m![G # 8]>()
            .vector_inter_slice_reduce::<m![1 # 256], m![1]>(InterSliceReduceOpF32::Add)
            .vector_final()
            .commit();
        ctx.sub.begin(sum.view()).fetch::<m![1], m![G # 8]>().collect::<m![1], m![G # 8]>().to_vrf()
    }

    /// One sequence, of which the cache holds `$length` tokens: a slice has one of them.
    macro_rules! attend {
        ($ctx:ident, $q:ident, $keys:ident, $values:ident, $out:ident, $sequence:literal, $length:literal) => {{
            let queries: TrfTensor<bf16, Chip, Cluster, m![W], m![G], m![D]> = $ctx
                .sub
                .begin($q.view().tile::<m![S], 1, _>($sequence))
                .fetch::<m![G, D / 16], m![D % 16]>()
                .collect::<m![G, D / 16], m![D % 16]>()
                .to_trf();
            let keys: HbmTensorView<'_, bf16, Chip, m![H # 4, W # 512, D]> =
                unsafe { $keys.view().tile::<m![S], 1, _>($sequence).tile::<m![P], 256, _>(0).reshape() };
            let keys: DmTensor<bf16, Chip, Cluster, m![W], m![D]> = keys.to_dm(&mut $ctx.tdma);
            let found: DmTensor<f32, Chip, Cluster, m![W], m![G # 8]> = $ctx
                .main
                .begin(keys.view())
                .fetch::<m![1], m![D]>()
                .collect::<m![D / 16], m![D % 16]>()
                .contract_outer::<m![1], m![D], _, _, _>(&queries)
                .contract_packet::<m![1]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![1], m![G # 8]>(LaneMode::Interleaved)
                .commit();
            let mut scores: Scores = DmTensor::new();
            scores.view_mut().memset(f32::NEG_INFINITY, &mut $ctx.sub);
            found
                .view()
                .slice_tile::<m![W], $length, _>(0)
                .to_dm_view(&mut $ctx.tdma, scores.view_mut().tile::<m![E], 1, _>(0).slice_tile::<m![W], $length, _>(0));

            let most = greatest($ctx, &scores);
            let shares: DmTensor<bf16, Chip, Cluster, m![W], m![G, E]> = weights!($ctx, scores, &most)
                .vector_widen_concat::<m![E], m![G # 8]>()
                .vector_final()
                .cast::<bf16, m![G # 16]>()
                .transpose::<m![E / 4, G], m![E % 4 # 16]>()
                .commit();
            let sum = total($ctx, &scores, &most);
            let shares: TrfTensor<bf16, Chip, Cluster, m![W], m![G], m![E]> =
                $ctx.sub.begin(shares.view()).fetch::<m![G], m![E]>().collect::<m![G], m![E]>().to_trf();

            let mut values: DmTensor<bf16, Chip, Cluster, m![W], m![E, D]> = DmTensor::new();
            let there: HbmTensorView<'_, bf16, Chip, m![H # 4, W = $length # 512, D]> =
                unsafe { $values.view().tile::<m![S], 1, _>($sequence).tile::<m![P], $length, _>(0).reshape() };
            there.to_dm_view(&mut $ctx.tdma, values.view_mut().tile::<m![E], 1, _>(0).slice_tile::<m![W], $length, _>(0));
            let parts: DmTensor<f32, Chip, Cluster, m![W], m![G, D]> = $ctx
                .main
                .begin(values.view())
                .fetch::<m![E], m![D]>()
                .collect::<m![E, D / 16], m![D % 16]>()
                .contract_outer::<m![E], m![D], _, _, _>(&shares)
                .contract_packet::<m![D]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![G, D / 8], m![D % 8]>(LaneMode::Sequential)
                .commit();
            $ctx.main
                .begin(parts.view())
                .fetch::<m![G, D / 8], m![D % 8]>()
                .collect::<m![G, D / 8], m![D % 8]>()
                .vector_init()
                .vector_inter_slice_reduce::<m![1 # 256], m![G, D / 8]>(InterSliceReduceOpF32::Add)
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![G, D / 4], m![D % 4]>()
                .vector_fp_div(FpDivBinaryOp::DivF, &sum)
                .vector_widen_concat::<m![G, D / 8], m![D % 8]>()
                .vector_final()
                .cast::<bf16, m![D % 8 # 16]>()
                .commit_view($out.view_mut().tile::<m![S], 1, _>($sequence));
        }};
    }

    /// The new token of each sequence is the last one of its cache.
    fn append(ctx: &mut Context, new: &Token, cache: &mut Cache, first: usize, second: usize) {
        for (sequence, length) in [(0, first), (1, second)] {
            new.view().tile::<m![S], 1, _>(sequence).to_hbm_view(&mut ctx.tdma, cache.view_mut().tile::<m![S], 1, _>(sequence).tile::<m![P], 1, _>(length - 1));
        }
    }

    macro_rules! decode {
        ($name:ident, $first:literal, $second:literal) => {
            #[device(chip = 1)]
            pub fn $name(ctx: &mut Context, q: &Query, k_new: &Token, v_new: &Token, k_cache: &mut Cache, v_cache: &mut Cache) -> Query {
                append(ctx, k_new, k_cache, $first, $second);
                append(ctx, v_new, v_cache, $first, $second);
                let q: DmTensor<bf16, Chip, Cluster, m![W], m![S, G, D]> = q.to_dm(&mut ctx.tdma);
                let mut out: DmTensor<bf16, Chip, Cluster, m![1 # 256], m![S, G, D]> = DmTensor::new();
                attend!(ctx, q, k_cache, v_cache, out, 0, $first);
                attend!(ctx, q, k_cache, v_cache, out, 1, $second);
                out.to_hbm(&mut ctx.tdma)
            }
        };
    }
    decode!(decode_1_1, 1, 1);
    decode!(decode_2_2, 2, 2);
    decode!(decode_3_3, 3, 3);
    decode!(decode_4_1, 4, 1);
    decode!(decode_5_2, 5, 2);
    decode!(decode_6_3, 6, 3);
}

/// Lesson 28: each chip sends every other one its part of the columns, all at once, adds what it got, and sends the sum to all.
mod all_reduce {
    use super::*;

    macro_rules! sum_of_chips {
        ($ctx:ident, $x:ident) => {
            $ctx.main
                .begin($x.view())
                .fetch::<m![C / 8 % 16, Of], m![C % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![C / 8 % 16, Of], m![C % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![C / 8 % 16, Of, C / 4 % 2], m![C % 4]>()
                .vector_intra_slice_reduce::<Of, m![C / 4 % 32], m![C % 4]>(IntraSliceReduceOpF32::Add)
                .vector_widen_concat::<m![C / 8 % 16], m![C % 8]>()
                .vector_final()
                .cast::<bf16, m![C % 8 # 16]>()
                .commit()
        };
    }
    macro_rules! all_reduce {
        ($name:ident, $chips:literal, $columns:literal, $slices:literal) => {
            pub mod $name {
                use super::*;
                axes![Of = $chips, C = 4096];
                type Chips = m![C / $columns];
                type Slice = m![C / 128 % $slices # 256];

                #[device(chip = $chips)]
                pub fn $name(ctx: &mut Context, x: &HbmTensor<bf16, m![Of], m![C]>) -> HbmTensor<bf16, m![$chips], m![C]> {
                    let parts: HbmTensor<bf16, Chips, m![Of, C % $columns]> = x.to_hbm(&mut ctx.tdma);
                    let parts: DmTensor<bf16, Chips, m![1 # 2], Slice, m![Of, C % 128]> = parts.to_dm(&mut ctx.tdma);
                    let sum: DmTensor<bf16, Chips, m![1 # 2], Slice, m![C % 128]> = sum_of_chips!(ctx, parts);
                    let sum: HbmTensor<bf16, Chips, m![C % $columns]> = sum.to_hbm(&mut ctx.tdma);
                    sum.to_hbm(&mut ctx.tdma)
                }
            }
        };
        ($name:ident, $chips:literal, $columns:literal, $slices:literal, $rows:literal) => {
            pub mod $name {
                use super::*;
                axes![Of = $chips, C = 4096, R = 32];
                type Chips = m![C / $columns];
                type Slice = m![R % 16 # $rows, C / 128 % $slices];

                #[device(chip = $chips)]
                pub fn $name(ctx: &mut Context, x: &HbmTensor<bf16, m![Of], m![R, C]>) -> HbmTensor<bf16, m![$chips], m![R, C]> {
                    let parts: HbmTensor<bf16, Chips, m![Of, R, C % $columns]> = x.to_hbm(&mut ctx.tdma);
                    let parts: DmTensor<bf16, Chips, m![R / 16], Slice, m![Of, C % 128]> = parts.to_dm(&mut ctx.tdma);
                    let sum: DmTensor<bf16, Chips, m![R / 16], Slice, m![C % 128]> = sum_of_chips!(ctx, parts);
                    let sum: HbmTensor<bf16, Chips, m![R, C % $columns]> = sum.to_hbm(&mut ctx.tdma);
                    sum.to_hbm(&mut ctx.tdma)
                }
            }
        };
    }
    all_reduce!(two_chips, 2, 2048, 16);
    all_reduce!(four_chips, 4, 1024, 8);
    all_reduce!(eight_chips, 8, 512, 4);
    all_reduce!(two_chips_32_rows, 2, 2048, 16, 16);
    all_reduce!(four_chips_32_rows, 4, 1024, 8, 32);
    all_reduce!(eight_chips_32_rows, 8, 512, 4, 64);
}

/// Lesson 31, steps 4 and 5: shares of A go round rings of slices, and N is cut into tiles. While one is multiplied, the columns of the next are loaded.
mod taken_apart {
    use super::*;

    macro_rules! in_rings {
        ($name:ident, $tiles:literal, $ring:literal, $near:literal) => {
            pub mod $name {
                use super::*;
                axes![I = 512, T = $tiles, S = $ring, O = 16, K = 128];
                type Cluster = m![I / 256];
                type Group = m![I / $ring % { 256 / $ring }];
                type Slice = m![{ Group }, S];
                type Columns = DmTensor<bf16, Chip, Cluster, Slice, m![O, K]>;
                type Turned = m![{ Group }, S / 8, I / $near % 8]; // neighbours have exchanged columns for rows, and write whole units of HBM

                fn load(ctx: &mut Context, b: &HbmTensor<bf16, Chip, m![T, S, O, K]>, tile: usize) -> Columns {
                    b.view().tile::<m![T], 1, _>(tile).to_dm(&mut ctx.tdma)
                }

                #[device(chip = 1)]
                pub fn $name(ctx: &mut Context, a: &HbmTensor<bf16, Chip, m![I, K]>, b: &HbmTensor<bf16, Chip, m![T, S, O, K]>, c: &mut HbmTensor<bf16, Chip, m![I, T, S, O]>) {
                    let mut next = load(ctx, b, 0);
                    let rows: DmTensor<bf16, Chip, Cluster, m![{ Group }, I % $ring], m![K]> = a.to_dm(&mut ctx.tdma);
                    #[unroll]
                    for t in 0..T::SIZE {
                        let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![O % 8], m![O / 8, K]> = ctx
                            .sub
                            .begin(next.view())
                            .fetch::<m![O % 8, O / 8, K / 16], m![K % 16]>()
                            .collect::<m![O % 8, O / 8, K / 16], m![K % 16]>()
                            .to_trf();
                        if t + 1 < T::SIZE {
                            next = load(ctx, b, t + 1);
                        }
                        let done: DmTensor<bf16, Chip, Cluster, Slice, m![I % $ring, O]> = ctx
                            .main
                            .begin(rows.view())
                            .fetch::<m![K / 32], m![K % 32]>()
                            .switch::<Slice, m![I % $ring, K / 32]>(SwitchConfig::Broadcast01 { slice1: $ring, slice0: 1, time0: 4 })
                            .collect::<m![I % $ring, K / 16], m![K % 16]>()
                            .contract_outer::<m![I % $ring, K / 32, O / 8], m![K % 32], _, _, _>(&weights)
                            .contract_packet::<m![1]>()
                            .contract_time::<m![I % $ring, O / 8]>()
                            .contract_lane::<m![I % $ring, O / 8], m![O % 8]>(LaneMode::Interleaved)
                            .cast::<bf16, m![O % 8 # 16]>()
                            .commit();
                        let in_units: DmTensor<bf16, Chip, Cluster, Turned, m![I % $near, S % 8, O]> = ctx
                            .main
                            .begin(done.view())
                            .fetch::<m![I % $near, I / $near % 8], m![O]>()
                            .switch::<Turned, m![I % $near, S % 8]>(SwitchConfig::InterTranspose { slice1: 8, slice0: 1, time0: 1 })
                            .collect::<m![I % $near, S % 8], m![O]>()
                            .commit();
                        in_units.view().to_hbm_view(&mut ctx.tdma, c.view_mut().tile::<m![T], 1, _>(t));
                    }
                }
            }
        };
    }
    in_rings!(one_tile, 1, 128, 16);
    in_rings!(two_tiles, 2, 64, 8);
}
