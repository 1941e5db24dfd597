// Gather and scatter, shuffles between chips and clusters, switches, transposes, zero points and tables.
use vendor_std::prelude::*;

type Cluster = m![1 # 2];

mod embedding {
    use super::*;
    axes![V = 1000, S = 256, D = 64];
    type Chip = m![1];

    /// The index names rows of V: what the result does not count.
    #[device(chip = 1)]
    pub fn look_up(ctx: &mut Context, table: &HbmTensor<f32, Chip, m![V, D]>) -> HbmTensor<f32, Chip, m![S, D]> {
        let tokens = first_tokens(ctx);
        let rows: DmTensor<f32, Chip, Cluster, m![S], m![D]> = table.dma_gather_scaled(&tokens, &mut ctx.tdma);
        rows.to_hbm(&mut ctx.tdma)
    }

    /// Token 0 for everybody: a tensor of zeros.
    fn first_tokens(_ctx: &mut Context) -> HbmTensor<i32, Chip, m![S]> {
        HbmTensor::new()
    }
}

mod chips {
    use super::*;
    axes![A = 4, B = 4, C = 2048, I = 2];
    type Slice = m![C / 8];
    type Dm = DmTensor<i32, m![A], Cluster, Slice, m![B, C % 8]>;

    fn add(ctx: &mut Context, x: &Dm, y: &Dm) -> Dm {
        ctx.main
            .begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
            .fetch::<m![B, I], m![C % 8]>()
            .collect::<m![B, I], m![C % 8]>()
            .vector_init()
            .vector_intra_slice_unzip::<I, m![B]>()
            .vector_clip_zip(ClipBinaryOpI32::AddFxp)
            .vector_final()
            .commit()
    }

    const ROTATIONS: [[usize; 4]; 3] = [[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]];

    #[device(chip = 4)]
    pub fn all_reduce(ctx: &mut Context, x: &HbmTensor<i32, m![A], m![B, C]>) -> HbmTensor<i32, m![A], m![B, C]> {
        let own: Dm = x.to_dm(&mut ctx.tdma);
        let mut sum: Dm = own.clone();
        for sources in ROTATIONS {
            let other: Dm = own.dm_chip_shuffle(sources, &mut ctx.tdma);
            sum = add(ctx, &sum, &other);
        }
        sum.to_hbm(&mut ctx.tdma)
    }
}

mod turned {
    use super::*;
    axes![R = 256, C = 256, P = 8, S = 256, D = 4, E = 8, F = 8];
    type Chip = m![1];

    #[device(chip = 1)]
    pub fn across_slices(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![R, C, P]>) -> HbmTensor<i32, Chip, m![C, R, P]> {
        let dm: DmTensor<i32, Chip, Cluster, m![R], m![C, P]> = x.to_dm(&mut ctx.tdma);
        let turned: DmTensor<i32, Chip, Cluster, m![C], m![R, P]> = ctx
            .main
            .begin(dm.view())
            .fetch::<m![C], m![P]>()
            .switch::<m![C], m![R]>(SwitchConfig::InterTranspose { slice1: 256, slice0: 1, time0: 1 })
            .collect::<m![R], m![P]>()
            .commit();
        turned.to_hbm(&mut ctx.tdma)
    }

    #[device(chip = 1)]
    pub fn within_a_slice(ctx: &mut Context, x: &HbmTensor<bf16, Chip, m![S, F, D, E]>) -> HbmTensor<bf16, Chip, m![S, F, E, D]> {
        let dm: DmTensor<bf16, Chip, Cluster, m![S], m![F, D, E]> = x.to_dm(&mut ctx.tdma);
        let turned: DmTensor<bf16, Chip, Cluster, m![S], m![F, E, D]> = ctx
            .main
            .begin(dm.view())
            .fetch::<m![F, D], m![E]>()
            .collect::<m![F, D], m![E # 16]>()
            .transpose::<m![F, E], m![D # 16]>()
            .commit();
        turned.to_hbm(&mut ctx.tdma)
    }
}

mod quantised {
    use super::*;
    axes![I = 256, K = 64, N = 8, A = 8192];
    type Chip = m![1];
    type Slice = m![I];
    const ZERO: i32 = 11;

    #[device(chip = 1)]
    pub fn linear(ctx: &mut Context, x: &HbmTensor<i8, Chip, m![I, K]>, w: &HbmTensor<i8, Chip, m![N, K]>) -> HbmTensor<i8, Chip, m![I, N]> {
        let x: DmTensor<i8, Chip, Cluster, Slice, m![K]> = x.to_dm(&mut ctx.tdma);
        let w: DmTensor<i8, Chip, Cluster, Slice, m![N, K]> = w.to_dm(&mut ctx.tdma);
        let w: TrfTensor<i8, Chip, Cluster, Slice, m![N], m![K]> =
            ctx.sub.begin(w.view()).fetch::<m![N], m![K]>().collect::<m![N, K / 32], m![K % 32]>().to_trf();
        let y: DmTensor<i8, Chip, Cluster, Slice, m![N]> = ctx
            .main
            .begin(x.view())
            .fetch::<m![1], m![K]>()
            .fetch_zero_point_sub::<i9>(ZERO)
            .collect::<m![K / 32], m![K % 32]>()
            .contract_outer::<m![K / 64], m![K % 64], _, _, _>(&w)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![N]>(LaneMode::Interleaved)
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::MulInt, 3)
            .vector_fxp(FxpBinaryOp::ArithRightShiftRound, 12)
            .vector_clip(ClipBinaryOpI32::Min, 127)
            .vector_clip(ClipBinaryOpI32::Max, -128)
            .vector_final()
            .cast::<i8, m![N # 32]>()
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }

    /// The built-in table from four bits to eight.
    #[device(chip = 1)]
    pub fn decode(ctx: &mut Context, x: &HbmTensor<f4e2m1, Chip, m![A]>) -> HbmTensor<f8e4m3, Chip, m![A]> {
        let dm = x.to_dm::<Cluster, m![A / 32], m![A % 32]>(&mut ctx.tdma);
        let y: DmTensor<f8e4m3, Chip, Cluster, m![A / 32], m![A % 32]> = ctx
            .main
            .begin(dm.view())
            .fetch::<m![1], m![A % 32]>()
            .fetch_table_lookup::<f8e4m3>()
            .collect::<m![1], m![A % 32]>()
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }
}

mod relabelled {
    use super::*;
    axes![A = 2048, X = 8, Y = 256];
    type Chip = m![1];

    /// The same positions under other names, and back in another order.
    #[device(chip = 1)]
    pub fn as_rows(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![Y, X]> {
        let dm: DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
        let rows: DmTensor<i32, Chip, Cluster, m![Y], m![X]> = unsafe { dm.reshape() };
        rows.to_hbm(&mut ctx.tdma)
    }
}

mod lifts {
    use super::*;
    axes![P = 64, A = 4, W = 8];
    type Chip = m![1];

    /// Each of four copies reads its own part of what they all have.
    #[device(chip = 1)]
    pub fn parts_of_copies(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![P, A, W]>) -> HbmTensor<i32, Chip, m![A, P, W]> {
        let copies: DmTensor<i32, Chip, Cluster, m![4, P], m![A, W]> = x.to_dm(&mut ctx.tdma);
        let parts: DmTensor<i32, Chip, Cluster, m![A, P], m![W]> = ctx
            .main
            .begin(copies.view())
            .fetch_slice_lift::<m![A, P]>()
            .fetch::<m![1], m![W]>()
            .collect::<m![1], m![W]>()
            .commit();
        parts.to_hbm(&mut ctx.tdma)
    }
}
