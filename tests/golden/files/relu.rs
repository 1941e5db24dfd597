use vendor_std::prelude::*;

axes![A = 2048];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Dm<D> = DmTensor<D, Chip, Cluster, Slice, m![A % 8]>;

#[device(chip = 1)]
pub fn relu(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![A]>) -> HbmTensor<f32, Chip, m![A]> {
    let mut now: Dm<f32> = x.to_dm(&mut ctx.tdma);
    for _ in 0..3 {
        now = ctx
            .main
            .begin(now.view())
            .fetch::<m![1], m![A % 8]>()
            .collect::<m![1], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_clip(ClipBinaryOpF32::Max, 0.0)
            .vector_final()
            .commit();
    }
    now.to_hbm(&mut ctx.tdma)
}
