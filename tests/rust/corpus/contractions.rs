// Contractions in the names of editions since 0.2, with several TRF tensors at a time, switches and casts.
use vendor_std::prelude::*;

type Chip = m![1];
type Cluster = m![1 # 2];

mod dot {
    use super::*;
    axes![A = 2048];
    type Slice = m![1 # 256];

    #[device(chip = 1)]
    pub fn dot(ctx: &mut Context, lhs: &HbmTensor<bf16, Chip, m![A]>, rhs: &HbmTensor<bf16, Chip, m![A]>) -> HbmTensor<bf16, Chip, m![1 # 8]> {
        let lhs: DmTensor<bf16, Chip, Cluster, Slice, m![A]> = lhs.to_dm(&mut ctx.tdma);
        let rhs: DmTensor<bf16, Chip, Cluster, Slice, m![A]> = rhs.to_dm(&mut ctx.tdma);
        let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![A]> =
            ctx.sub.begin(rhs.view()).fetch::<m![1], m![A]>().collect::<m![A / 16], m![A % 16]>().to_trf();
        let sum: DmTensor<bf16, Chip, Cluster, Slice, m![1 # 8]> = ctx
            .main
            .begin(lhs.view())
            .fetch::<m![1], m![A]>()
            .collect::<m![A / 16], m![A % 16]>()
            .contract_outer::<m![A / 32], m![A % 32], _, _, _>(&weights)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![1 # 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![1 # 16]>()
            .commit_trim::<m![1 # 8]>()
            .commit();
        sum.to_hbm(&mut ctx.tdma)
    }
}

mod gemm {
    use super::*;
    axes![I = 64, J = 512, K = 64];
    type Slice = m![I / 4, J / 32];
    type Weights = TrfTensor<bf16, Chip, Cluster, Slice, m![J % 8], m![J / 8 % 4, K]>;

    fn weights(ctx: &mut Context, b: &HbmTensor<bf16, Chip, m![J, K]>) -> Weights {
        let b = b.to_dm::<Cluster, Slice, m![J % 32, K]>(&mut ctx.tdma);
        ctx.sub
            .begin(b.view())
            .fetch::<m![J % 8, J / 8 % 4], m![K]>()
            .collect::<m![J % 8, J / 8 % 4, K / 16], m![K % 16]>()
            .to_trf()
    }

    fn product(ctx: &mut Context, a: &DmTensor<bf16, Chip, Cluster, Slice, m![I % 4, K]>, b: &Weights) -> DmTensor<bf16, Chip, Cluster, Slice, m![I % 4, J % 32]> {
        ctx.main
            .begin(a.view())
            .fetch::<m![I % 4, J / 8 % 4], m![K]>()
            .collect::<m![I % 4, J / 8 % 4, K / 16], m![K % 16]>()
            .contract_outer::<m![I % 4, J / 8 % 4, K / 32], m![K % 32], _, _, _>(b)
            .contract_packet::<m![1]>()
            .contract_time::<m![I % 4, J / 8 % 4]>()
            .contract_lane::<m![I % 4, J / 8 % 4], m![J % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![J % 8 # 16]>()
            .commit()
    }

    /// Both weights are needed at a time: each gets half of the TRF.
    #[device(chip = 1)]
    pub fn two_products(
        ctx: &mut Context,
        a: &HbmTensor<bf16, Chip, m![I, K]>,
        b: &HbmTensor<bf16, Chip, m![J, K]>,
        c: &HbmTensor<bf16, Chip, m![J, K]>,
    ) -> (HbmTensor<bf16, Chip, m![I, J]>, HbmTensor<bf16, Chip, m![I, J]>) {
        let a: DmTensor<bf16, Chip, Cluster, Slice, m![I % 4, K]> = a.to_dm(&mut ctx.tdma);
        let b = weights(ctx, b);
        let c = weights(ctx, c);
        let ab = product(ctx, &a, &b);
        let ac = product(ctx, &a, &c);
        (ab.to_hbm(&mut ctx.tdma), ac.to_hbm(&mut ctx.tdma))
    }
}
