// Lessons 25, 26, 29 and 30: layers of networks. Where the library takes calls that the vendor's crate has not, a person goes another way to the same bits, and says which.
use vendor_std::prelude::*;

type Chip = m![1];

/// Lesson 25: convolutions of any size. The library looks at a frame in DM as windows of it; here each weight of a filter brings the pixels that it meets, with their
/// channels innermost, so that whole packets move. Filters have their channels innermost as well.
mod convolution_layers {
    use super::*;

    /// An image of `$rows` x `$columns` in a frame of `$border` zeros, which makes it `$high` x `$wide`; `$unit` channels are 8 bytes or more.
    macro_rules! layer {
        ($name:ident, $channels:literal, $unit:literal, $filters:literal, ($rows:literal, $columns:literal, $row:literal, $held:literal), $border:literal, ($high:literal, $wide:literal),
         ($h:literal, $w:literal, $result:literal), ($tap_rows:literal, $tap_columns:literal), $stride:literal, $dilation:literal) => {
            pub mod $name {
                use super::*;
                axes![N = 2, K = $channels, C = $filters, Y = $rows, X = $columns, High = $high, Wide = $wide, H = $h, W = $w, Fh = $tap_rows, Fw = $tap_columns];
                axes![Down = $stride, Across = $stride, Q = $unit]; // Q: the channels, and zeros where they are too few for 8 bytes
                pub type Image = HbmTensor<bf16, Chip, m![N, K, Y, X # $row]>;
                pub type Filters = HbmTensor<bf16, Chip, m![C, Fh, Fw, Q]>;
                pub type Result = HbmTensor<bf16, Chip, m![N, C, H, W # $result]>;
                type Frame = HbmTensor<bf16, Chip, m![N, High, Wide, Q]>;
                type Cluster = m![N];
                type Rows = m![Y # 256];
                type Slice = m![H # 256];
                type Met = DmTensor<bf16, Chip, Cluster, Slice, m![W # $result, Fh, Fw, Q]>;

                /// Zeros with the image in their middle, its channels innermost.
                fn framed(ctx: &mut Context, x: &Image) -> Frame {
                    let x: DmTensor<bf16, Chip, Cluster, Rows, m![K # $unit, X # $held]> = x.to_dm(&mut ctx.tdma);
                    let turned: DmTensor<bf16, Chip, Cluster, Rows, m![X # $held, K # $unit]> = ctx
                        .main
                        .begin(x.view())
                        .fetch::<m![X # $held / 8, K # $unit], m![X # $held % 8]>()
                        .collect::<m![X # $held / 8, K # $unit], m![X # $held % 8 # 16]>()
                        .transpose::<m![X # $held / 8, K # $unit / 4, X # $held % 8], m![K # $unit % 4 # 16]>()
                        .commit();
                    let mut frame: Frame = HbmTensor::new();
                    let middle: HbmTensorViewMut<'_, bf16, Chip, m![N, Y # $high, X # $wide, K # $unit]> =
                        unsafe { frame.view_mut().tile::<m![High], $rows, _>($border).tile::<m![Wide], $columns, _>($border).tile::<m![Q], $channels, _>(0).reshape() };
                    turned.view().to_hbm_view(&mut ctx.tdma, middle);
                    frame
                }

                /// For each pixel of the result the pixels that the weights meet.
                fn met(ctx: &mut Context, frame: &Frame) -> Met {
                    let mut met: Met = DmTensor::new();
                    #[unroll]
                    for i in 0..Fh::SIZE {
                        #[unroll]
                        for j in 0..Fw::SIZE {
                            let seen: HbmTensorView<'_, bf16, Chip, m![N, [H, Down] # $high, [W, Across] # $wide, Q]> = unsafe {
                                frame.view().tile::<m![High], { H::SIZE * $stride }, _>(i * $dilation).tile::<m![Wide], { W::SIZE * $stride }, _>(j * $dilation).reshape()
                            };
                            seen.tile::<m![Down], 1, _>(0)
                                .tile::<m![Across], 1, _>(0)
                                .to_dm_view(&mut ctx.tdma, met.view_mut().tile::<m![Fh], 1, _>(i).tile::<m![Fw], 1, _>(j));
                        }
                    }
                    met
                }

                pub fn convolved(ctx: &mut Context, x: &Image, f: &Filters) -> Result {
                    let frame = framed(ctx, x);
                    let met = met(ctx, &frame);
                    let f: DmTensor<bf16, Chip, Cluster, Slice, m![C, Fh, Fw, Q]> = f.to_dm(&mut ctx.tdma);
                    let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![C % 8], m![C / 8, Fh, Fw, Q # 32]> = ctx
                        .sub
                        .begin(f.view())
                        .fetch::<m![C % 8, C / 8, Fh, Fw, Q # 32 / 16], m![Q # 32 % 16]>()
                        .collect::<m![C % 8, C / 8, Fh, Fw, Q # 32 / 16], m![Q # 32 % 16]>()
                        .to_trf();
                    let y: DmTensor<bf16, Chip, Cluster, Slice, m![C, W # $result]> = ctx
                        .main
                        .begin(met.view())
                        .fetch::<m![C / 8, W # $result, Fh, Fw], m![Q #{0} 32]>()
                        .collect::<m![C / 8, W # $result, Fh, Fw, Q #{0} 32 / 16], m![Q #{0} 32 % 16]>()
                        .contract_outer::<m![C / 8, W # $result, Fh, Fw], m![Q #{0} 32], _, _, _>(&weights)
                        .contract_packet::<m![1]>()
                        .contract_time::<m![C / 8, W # $result]>()
                        .contract_lane::<m![C / 8, W # $result], m![C % 8]>(LaneMode::Interleaved)
                        .cast::<bf16, m![C % 8 # 16]>()
                        .transpose::<m![C / 8, W # $result / 4, C % 8], m![W # $result % 4 # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }

                #[device(chip = 1)]
                pub fn $name(ctx: &mut Context, x: &Image, f: &Filters) -> Result {
                    convolved(ctx, x, f)
                }
            }
        };
    }

    layer!(seven_by_seven, 3, 4, 16, (40, 50, 52, 56), 3, (46, 56), (20, 25, 32), (7, 7), 2, 1);
    layer!(three_by_three, 16, 16, 24, (14, 14, 16, 16), 1, (16, 16), (14, 14, 16), (3, 3), 1, 1);
    layer!(dilated, 16, 16, 24, (14, 14, 16, 16), 2, (18, 18), (14, 14, 16), (3, 3), 1, 2);
    layer!(strided_and_dilated, 16, 16, 24, (14, 14, 16, 16), 2, (18, 18), (7, 7, 16), (3, 3), 2, 2);
    layer!(pointwise, 16, 16, 24, (14, 14, 16, 16), 0, (14, 14), (7, 7, 16), (1, 1), 2, 1);
    layer!(first, 4, 4, 8, (14, 14, 16, 16), 1, (16, 16), (14, 14, 16), (3, 3), 1, 1);
    layer!(second, 8, 8, 8, (14, 14, 16, 16), 1, (16, 16), (14, 14, 16), (3, 3), 1, 1);

    /// Two layers in one launch: the second takes what the first one made where it is.
    #[device(chip = 1)]
    pub fn two_layers(ctx: &mut Context, x: &first::Image, f: &first::Filters, g: &second::Filters) -> second::Result {
        let middle = first::convolved(ctx, x, f);
        let middle: second::Image = unsafe { middle.reshape() };
        second::convolved(ctx, &middle, g)
    }
}

/// Lesson 26: every token of a prompt attends to itself and to all before it. The library makes the mask on the chip, from a branch log that it keeps as an operand;
/// here it is an argument, 0 where a token attends and minus infinity where it does not.
mod prefill {
    use super::*;
    axes![S = 150, H = 2, G = 2, D = 32, Position = 512, P = 256];
    type Cluster = m![H];
    type Slice = m![G, S # 256 / 2];
    type Own = m![S # 256 % 2]; // two queries of a slice
    type Query = HbmTensor<bf16, Chip, m![S, H, G, D]>;
    type Tokens = HbmTensor<bf16, Chip, m![S, H # 4, D]>;
    type Cache = HbmTensor<bf16, Chip, m![H, Position, D]>;
    type Block = DmTensor<bf16, Chip, Cluster, Slice, m![P, D]>;
    type Scores = DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, P]>;
    type Numbers = VrfTensor<f32, Chip, Cluster, Slice, m![{ Own }, 1 # 8]>;
    const SCALE: f32 = 0.17677669; // 1 / sqrt(D)

    /// Rows are [token, head], the cache is [head, token].
    fn append(ctx: &mut Context, new: &Tokens, cache: &mut Cache) {
        let place: HbmTensorViewMut<'_, bf16, Chip, m![H, S # 512, D]> = unsafe { cache.view_mut().tile::<m![Position], 150, _>(0).reshape() };
        new.view().to_hbm_view(&mut ctx.tdma, place);
    }

    fn block(ctx: &mut Context, cache: &Cache) -> Block {
        let first: HbmTensorView<'_, bf16, Chip, m![H, P # 512, D]> = unsafe { cache.view().tile::<m![Position], 256, _>(0).reshape() };
        first.to_dm(&mut ctx.tdma)
    }

    fn masked_scores(ctx: &mut Context, q: &Query, cache: &Cache, mask: &HbmTensor<f32, Chip, m![S, P]>) -> Scores {
        let q: DmTensor<bf16, Chip, Cluster, Slice, m![{ Own }, D]> = q.to_dm(&mut ctx.tdma);
        let keys = block(ctx, cache);
        let keys: TrfTensor<bf16, Chip, Cluster, Slice, m![P % 8], m![P / 8, D]> = ctx
            .sub
            .begin(keys.view())
            .fetch::<m![P % 8, P / 8, D / 16], m![D % 16]>()
            .collect::<m![P % 8, P / 8, D / 16], m![D % 16]>()
            .to_trf();
        let mask: DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, P]> = mask.to_dm(&mut ctx.tdma);
        let mask: VrfTensor<f32, Chip, Cluster, Slice, m![{ Own }, P]> =
            ctx.sub.begin(mask.view()).fetch::<m![{ Own }, P / 8], m![P % 8]>().collect::<m![{ Own }, P / 8], m![P % 8]>().to_vrf();
        ctx.main
            .begin(q.view())
            .fetch::<Own, m![D]>()
            .collect::<m![{ Own }, D / 16], m![D % 16]>()
            .contract_outer::<m![{ Own }, P / 8], m![D], _, _, _>(&keys)
            .contract_packet::<m![1]>()
            .contract_time::<m![{ Own }, P / 8]>()
            .contract_lane::<m![{ Own }, P / 8], m![P % 8]>(LaneMode::Interleaved)
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![{ Own }, P / 4], m![P % 4]>()
            .vector_fp_binary(FpBinaryOp::AddF, &mask)
            .vector_widen_concat::<m![{ Own }, P / 8], m![P % 8]>()
            .vector_final()
            .commit()
    }

    macro_rules! of_scores {
        ($ctx:ident, $scores:expr) => {
            $ctx.main
                .begin($scores.view())
                .fetch::<m![{ Own }, P / 8], m![P % 8]>()
                .collect::<m![{ Own }, P / 8], m![P % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![{ Own }, P / 4], m![P % 4]>()
        };
    }

    fn keep(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, 1 # 8]>) -> Numbers {
        ctx.sub.begin(x.view()).fetch::<Own, m![1 # 8]>().collect::<Own, m![1 # 8]>().to_vrf()
    }

    /// exp((score - greatest) / sqrt(D)).
    fn weights(ctx: &mut Context, scores: &Scores) -> DmTensor<bf16, Chip, Cluster, Slice, m![{ Own }, P % 8, P / 8]> {
        let greatest: DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, 1 # 8]> = of_scores!(ctx, scores)
            .vector_intra_slice_reduce::<P, Own, m![1 # 4]>(IntraSliceReduceOpF32::Max)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit();
        let greatest = keep(ctx, &greatest);
        of_scores!(ctx, scores)
            .vector_fp_binary(FpBinaryOp::SubF, &greatest)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SCALE)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_widen_concat::<m![{ Own }, P / 8], m![P % 8]>()
            .vector_final()
            .cast::<bf16, m![P % 8 # 16]>()
            .transpose::<m![{ Own }, P / 32, P % 8], m![P / 8 % 4 # 16]>()
            .commit()
    }

    /// [token, column] to [column, token]: four tokens of eight columns at a time.
    fn transposed(ctx: &mut Context, cache: &Cache) -> DmTensor<bf16, Chip, Cluster, Slice, m![D, P % 8, P / 8]> {
        let values = block(ctx, cache);
        ctx.main
            .begin(values.view())
            .fetch::<m![D / 8, P % 8, P / 8], m![D % 8]>()
            .collect::<m![D / 8, P % 8, P / 8], m![D % 8 # 16]>()
            .transpose::<m![D / 8, P % 8, P / 32, D % 8], m![P / 8 % 4 # 16]>()
            .commit()
    }

    macro_rules! weighted {
        ($ctx:ident, $weights:expr, $values:expr, $columns:ty, $row:ty) => {
            $ctx.main
                .begin($weights.view())
                .fetch::<m![{ Own }, P % 8], m![P / 8]>()
                .collect::<m![{ Own }, P % 8, P / 128], m![P / 8 % 16]>()
                .contract_outer::<m![{ Own }, P % 8, { $columns }], m![P / 8], _, _, _>(&$values)
                .contract_packet::<m![1]>()
                .contract_time::<m![{ Own }, { $columns }]>()
                .contract_lane::<m![{ Own }, { $columns }], $row>(LaneMode::Interleaved)
                .commit()
        };
    }

    #[device(chip = 1)]
    pub fn prefill(
        ctx: &mut Context,
        q: &Query,
        k: &Tokens,
        v: &Tokens,
        k_cache: &mut Cache,
        v_cache: &mut Cache,
        mask: &HbmTensor<f32, Chip, m![S, P]>,
    ) -> Query {
        append(ctx, k, k_cache);
        append(ctx, v, v_cache);
        let scores = masked_scores(ctx, q, k_cache, mask);
        let weights = weights(ctx, &scores);
        let values = transposed(ctx, v_cache);
        let values: TrfTensor<bf16, Chip, Cluster, Slice, m![D % 8], m![D / 8, P % 8, P / 8]> = ctx
            .sub
            .begin(values.view())
            .fetch::<m![D % 8, D / 8, P % 8, P / 128], m![P / 8 % 16]>()
            .collect::<m![D % 8, D / 8, P % 8, P / 128], m![P / 8 % 16]>()
            .to_trf();
        let sums: DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, D]> = weighted!(ctx, weights, values, m![D / 8], m![D % 8]);

        // The weights themselves are added in the same order, as a column of ones.
        let mut ones: DmTensor<bf16, Chip, Cluster, Slice, m![P % 8, P / 8]> = DmTensor::new();
        ones.view_mut().memset(1.0, &mut ctx.sub);
        let ones: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![P % 8, P / 8]> =
            ctx.sub.begin(ones.view()).fetch::<m![P % 8, P / 128], m![P / 8 % 16]>().collect::<m![P % 8, P / 128], m![P / 8 % 16]>().to_trf();
        let total: DmTensor<f32, Chip, Cluster, Slice, m![{ Own }, 1 # 8]> = weighted!(ctx, weights, ones, m![1], m![1 # 8]);
        let total = keep(ctx, &total);
        let out: DmTensor<bf16, Chip, Cluster, Slice, m![{ Own }, D]> = ctx
            .main
            .begin(sums.view())
            .fetch::<m![{ Own }, D / 8], m![D % 8]>()
            .collect::<m![{ Own }, D / 8], m![D % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![{ Own }, D / 4], m![D % 4]>()
            .vector_fp_div(FpDivBinaryOp::DivF, &total)
            .vector_widen_concat::<m![{ Own }, D / 8], m![D % 8]>()
            .vector_final()
            .cast::<bf16, m![D % 8 # 16]>()
            .commit();
        out.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 29: each token goes through two of eight feed-forward layers. The library sorts the tokens by expert, with a branch log and the filter; here every expert computes
/// every token, and what a token did not choose counts nothing.
mod mixture_of_experts {
    use super::*;
    axes![T = 6, D = 32, E = 8, F = 48, Other = 8, Number = 16, Copy = 16, CopyUp = 3, CopyDown = 4];
    type Cluster = m![1 # 2];
    type PerToken = m![T # 256];
    type PerExpert = m![E # 256];
    type Tokens = HbmTensor<bf16, Chip, m![T, D # 128]>;
    type Router = HbmTensor<bf16, Chip, m![Copy, E, D # 128]>;
    type Choices<Element> = DmTensor<Element, Chip, Cluster, PerToken, m![E]>;

    macro_rules! of_choices {
        ($ctx:ident, $x:expr) => {
            $ctx.main.begin($x.view()).fetch::<m![1], m![E]>().collect::<m![1], m![E]>().vector_init()
        };
    }
    macro_rules! as_floats {
        ($ctx:ident, $x:expr) => {
            $ctx.main
                .begin($x.view())
                .fetch::<m![1], m![E]>()
                .fetch_cast::<f32>()
                .collect::<m![1], m![E]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
        };
    }
    fn tag(first: Cmp) -> TagMode {
        TagMode::Comparison([first, Cmp::False, Cmp::False, Cmp::False])
    }
    const TAGGED: TagGuard = TagGuard::matches([BitReq::One, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]);

    fn scores(ctx: &mut Context, x: &Tokens, router: &Router) -> Choices<bf16> {
        let router: DmTensor<bf16, Chip, Cluster, PerToken, m![E, D]> = router.view().tile::<m![Copy], 1, _>(0).to_dm(&mut ctx.tdma);
        let router: TrfTensor<bf16, Chip, Cluster, PerToken, m![E], m![D]> =
            ctx.sub.begin(router.view()).fetch::<m![E, D / 16], m![D % 16]>().collect::<m![E, D / 16], m![D % 16]>().to_trf();
        let x: DmTensor<bf16, Chip, Cluster, PerToken, m![D]> = x.to_dm(&mut ctx.tdma);
        ctx.main
            .begin(x.view())
            .fetch::<m![1], m![D]>()
            .collect::<m![D / 16], m![D % 16]>()
            .contract_outer::<m![1], m![D], _, _, _>(&router)
            .contract_packet::<m![1]>()
            .contract_time::<m![1]>()
            .contract_lane::<m![1], m![E]>(LaneMode::Interleaved)
            .cast::<bf16, m![E # 16]>()
            .commit()
    }

    /// 1.0 for the two best of a token, else 0. Scores compare as whole numbers, with the expert's number in their low bits, so that no two are equal.
    fn chosen(ctx: &mut Context, scores: &Choices<bf16>, numbers: &HbmTensor<i32, Chip, m![Number]>) -> Choices<f32> {
        let numbers: HbmTensorView<'_, i32, Chip, m![E # 16]> = unsafe { numbers.view().tile::<m![Number], 8, _>(0).reshape() };
        let numbers: Choices<i32> = numbers.to_dm(&mut ctx.tdma);
        let numbers: VrfTensor<i32, Chip, Cluster, PerToken, m![E]> = ctx.sub.begin(numbers.view()).fetch::<m![1], m![E]>().collect::<m![1], m![E]>().to_vrf();
        let packed: Choices<i32> =
            as_floats!(ctx, scores).vector_reinterpret::<i32>().vector_fxp(FxpBinaryOp::AddFxp, &numbers).vector_final().commit();
        let compared: Choices<i32> = of_choices!(ctx, packed)
            .vector_intra_slice_tag(tag(Cmp::Less(0)))
            .vector_logic(LogicBinaryOpI32::BitXor, Branched::imm(TAGGED, 0x7fff_0000))
            .vector_final()
            .commit();

        // How many are greater.
        let others: DmTensor<i32, Chip, Cluster, PerToken, m![Other]> = unsafe { compared.reshape() };
        let others: VrfTensor<i32, Chip, Cluster, PerToken, m![Other]> =
            ctx.sub.begin(others.view()).fetch::<m![1], m![Other]>().collect::<m![1], m![Other]>().to_vrf();
        let rank: Choices<i32> = ctx
            .main
            .begin(compared.view())
            .fetch::<m![Other], m![E]>()
            .collect::<m![Other], m![E]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::SubFxpSat, &others)
            .vector_fxp(FxpBinaryOp::LogicRightShift, 31)
            .vector_narrow_split::<m![Other, E / 4], m![E % 4]>()
            .vector_intra_slice_reduce::<Other, m![E / 4], m![E % 4]>(IntraSliceReduceOpI32::AddSat)
            .vector_widen_concat::<m![1], m![E]>()
            .vector_final()
            .commit();
        of_choices!(ctx, rank)
            .vector_intra_slice_tag(tag(Cmp::Less(2)))
            .vector_logic(LogicBinaryOpI32::BitAnd, 0)
            .vector_logic(LogicBinaryOpI32::BitOr, Branched::imm(TAGGED, 0x3f80_0000))
            .vector_reinterpret::<f32>()
            .vector_final()
            .commit()
    }

    fn keep(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, PerToken, m![1 # 8]>) -> VrfTensor<f32, Chip, Cluster, PerToken, m![1 # 8]> {
        ctx.sub.begin(x.view()).fetch::<m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf()
    }
    fn keep_choices(ctx: &mut Context, x: &Choices<f32>) -> VrfTensor<f32, Chip, Cluster, PerToken, m![E]> {
        ctx.sub.begin(x.view()).fetch::<m![1], m![E]>().collect::<m![1], m![E]>().to_vrf()
    }

    /// exp(score) by the sum of those that were chosen.
    fn shares(ctx: &mut Context, scores: &Choices<bf16>, chosen: &Choices<f32>) -> Choices<f32> {
        let greatest: DmTensor<f32, Chip, Cluster, PerToken, m![1 # 8]> = as_floats!(ctx, scores)
            .vector_narrow_split::<m![E / 4], m![E % 4]>()
            .vector_intra_slice_reduce::<E, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit();
        let greatest = keep(ctx, &greatest);
        let chosen = keep_choices(ctx, chosen);
        let exp: Choices<f32> = as_floats!(ctx, scores)
            .vector_narrow_split::<m![E / 4], m![E % 4]>()
            .vector_fp_binary(FpBinaryOp::SubF, &greatest)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &chosen)
            .vector_widen_concat::<m![1], m![E]>()
            .vector_final()
            .commit();
        let sum: DmTensor<f32, Chip, Cluster, PerToken, m![1 # 8]> = of_choices!(ctx, exp)
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![E / 4], m![E % 4]>()
            .vector_intra_slice_reduce::<E, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_pad::<m![1 # 8]>()
            .vector_final()
            .commit();
        let sum = keep(ctx, &sum);
        of_choices!(ctx, exp)
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![E / 4], m![E % 4]>()
            .vector_fp_div(FpDivBinaryOp::DivF, &sum)
            .vector_widen_concat::<m![1], m![E]>()
            .vector_final()
            .commit()
    }

    /// All tokens by each expert, one in a slice.
    fn computed(
        ctx: &mut Context,
        x: &Tokens,
        up: &HbmTensor<bf16, Chip, m![E, CopyUp, F, D # 128]>,
        down: &HbmTensor<bf16, Chip, m![E, CopyDown, D, F # 128]>,
    ) -> HbmTensor<bf16, Chip, m![E, T, D]> {
        let x: DmTensor<bf16, Chip, Cluster, PerExpert, m![T, D]> = x.to_dm(&mut ctx.tdma);
        let up: DmTensor<bf16, Chip, Cluster, PerExpert, m![F, D]> = up.view().tile::<m![CopyUp], 1, _>(0).to_dm(&mut ctx.tdma);
        let down: DmTensor<bf16, Chip, Cluster, PerExpert, m![D, F # 64]> = down.view().tile::<m![CopyDown], 1, _>(0).to_dm(&mut ctx.tdma);
        let up: TrfTensor<bf16, Chip, Cluster, PerExpert, m![F % 8], m![F / 8, D]> =
            ctx.sub.begin(up.view()).fetch::<m![F % 8, F / 8, D / 16], m![D % 16]>().collect::<m![F % 8, F / 8, D / 16], m![D % 16]>().to_trf();
        let h: DmTensor<bf16, Chip, Cluster, PerExpert, m![T, F # 64]> = ctx
            .main
            .begin(x.view())
            .fetch::<m![T], m![D]>()
            .collect::<m![T, D / 16], m![D % 16]>()
            .contract_outer::<m![T, F / 8], m![D], _, _, _>(&up)
            .contract_packet::<m![1]>()
            .contract_time::<m![T, F / 8]>()
            .contract_lane::<m![T, F / 8], m![F % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![F % 8 # 16]>()
            .commit();
        let down: TrfTensor<bf16, Chip, Cluster, PerExpert, m![D % 8], m![D / 8, F # 64]> = ctx
            .sub
            .begin(down.view())
            .fetch::<m![D % 8, D / 8, F # 64 / 16], m![F # 64 % 16]>()
            .collect::<m![D % 8, D / 8, F # 64 / 16], m![F # 64 % 16]>()
            .to_trf();
        let y: DmTensor<bf16, Chip, Cluster, PerExpert, m![T, D]> = ctx
            .main
            .begin(h.view())
            .fetch::<m![T, F #{0} 64 / 32], m![F #{0} 64 % 32]>()
            .collect::<m![T, F #{0} 64 / 16], m![F #{0} 64 % 16]>()
            .contract_outer::<m![T, F #{0} 64 / 32, D / 8], m![F #{0} 64 % 32], _, _, _>(&down)
            .contract_packet::<m![1]>()
            .contract_time::<m![T, D / 8]>()
            .contract_lane::<m![T, D / 8], m![D % 8]>(LaneMode::Interleaved)
            .cast::<bf16, m![D % 8 # 16]>()
            .commit();
        y.to_hbm(&mut ctx.tdma)
    }

    #[device(chip = 1)]
    pub fn moe(
        ctx: &mut Context,
        x: &Tokens,
        router: &Router,
        up: &HbmTensor<bf16, Chip, m![E, CopyUp, F, D # 128]>,
        down: &HbmTensor<bf16, Chip, m![E, CopyDown, D, F # 128]>,
        numbers: &HbmTensor<i32, Chip, m![Number]>,
    ) -> Tokens {
        let scores = scores(ctx, x, router);
        let chosen = chosen(ctx, &scores, numbers);
        let shares = shares(ctx, &scores, &chosen);
        let shares = keep_choices(ctx, &shares);
        let y = computed(ctx, x, up, down);
        let y: DmTensor<bf16, Chip, Cluster, PerToken, m![E, D]> = y.to_dm(&mut ctx.tdma);
        let sum: DmTensor<bf16, Chip, Cluster, PerToken, m![D]> = ctx
            .main
            .begin(y.view())
            .fetch::<m![D / 8, E], m![D % 8]>()
            .fetch_cast::<f32>()
            .collect::<m![D / 8, E], m![D % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![D / 8, E, D / 4 % 2], m![D % 4]>()
            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &shares)
            .vector_intra_slice_reduce::<E, m![D / 4], m![D % 4]>(IntraSliceReduceOpF32::Add)
            .vector_widen_concat::<m![D / 8], m![D % 8]>()
            .vector_final()
            .cast::<bf16, m![D % 8 # 16]>()
            .commit();
        sum.to_hbm(&mut ctx.tdma)
    }
}

/// Lesson 30: a layer of a language model, for a prompt of five tokens and for the token after it; the look-up of words before it, and the logits behind it. A token has
/// a slice of its own, with the weights of all products.
mod llama {
    use super::*;
    axes![Word = 96, C = 64, F = 96, Q = 128, GateUp = 192, H = 2, G = 2, D = 16, Pair = 8, From = 2, To = 2, Head = 4, KvHead = 2];
    axes![Position = 512, Row = 24, Copy = 2, Both = 2];
    type Vector = HbmTensor<bf16, Chip, m![C # 128]>;
    type Cache = HbmTensor<bf16, Chip, m![H, Position, D]>;
    type Rotations = HbmTensor<bf16, Chip, m![Row, To, Pair, From]>;
    type Number = m![1 # 8];
    const SCALE: f32 = 0.25; // 1 / sqrt(D)

    macro_rules! floats {
        ($ctx:ident, $x:expr, $axis:ty) => {
            $ctx.main
                .begin($x.view())
                .fetch::<m![{ $axis } / 8], m![{ $axis } % 8]>()
                .fetch_cast::<f32>()
                .collect::<m![{ $axis } / 8], m![{ $axis } % 8]>()
                .vector_init()
        };
    }

    /// The sixth token attends to itself and to those in the caches: a slice has one of them.
    mod attention_of_one {
        use super::*;
        axes![W = 256, E = 16];
        type Cluster = m![H];
        pub type Heads = HbmTensor<bf16, Chip, m![[H, G, D] # 128]>;
        type Scores = DmTensor<f32, Chip, Cluster, m![W], m![E, G # 8]>;
        type Kept<S> = VrfTensor<f32, Chip, Cluster, S, m![G # 8]>;

        macro_rules! of_scores {
            ($ctx:ident, $scores:expr) => {
                $ctx.main
                    .begin($scores.view())
                    .fetch::<m![E], m![G # 8]>()
                    .collect::<m![E], m![G # 8]>()
                    .vector_init()
                    .vector_intra_slice_tag(TagMode::Zero)
                    .vector_narrow_split::<m![E, 1 # 2], m![G # 4]>()
            };
        }
        macro_rules! exponentials {
            ($ctx:ident, $scores:expr, $greatest:expr) => {
                of_scores!($ctx, $scores)
                    .vector_fp_binary(FpBinaryOp::SubF, $greatest)
                    .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SCALE)
                    .vector_fp_unary(FpUnaryOp::Exp)
            };
        }
        fn keep<S: M>(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, S, m![G # 8]>) -> Kept<S> {
            ctx.sub.begin(x.view()).fetch::<m![1], m![G # 8]>().collect::<m![1], m![G # 8]>().to_vrf()
        }

        fn scores(ctx: &mut Context, q: &Heads, cache: &Cache) -> Scores {
            let q: DmTensor<bf16, Chip, Cluster, m![W], m![G, D # 32]> = q.to_dm(&mut ctx.tdma);
            let queries: TrfTensor<bf16, Chip, Cluster, m![W], m![G], m![D # 32]> =
                ctx.sub.begin(q.view()).fetch::<m![G, 1 # 2], m![D]>().collect::<m![G, 1 # 2], m![D]>().to_trf();
            let keys: HbmTensorView<'_, bf16, Chip, m![H, W # 512, D]> = unsafe { cache.view().tile::<m![Position], 256, _>(0).reshape() };
            let keys: DmTensor<bf16, Chip, Cluster, m![W], m![D # 32]> = keys.to_dm(&mut ctx.tdma);
            let found: DmTensor<f32, Chip, Cluster, m![W], m![G # 8]> = ctx
                .main
                .begin(keys.view())
                .fetch::<m![1], m![D #{0} 32]>()
                .collect::<m![1 #{0} 2], m![D]>()
                .contract_outer::<m![1], m![D #{0} 32], _, _, _>(&queries)
                .contract_packet::<m![1]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![1], m![G # 8]>(LaneMode::Interleaved)
                .commit();
            let mut scores: Scores = DmTensor::new();
            scores.view_mut().memset(f32::NEG_INFINITY, &mut ctx.sub);
            found
                .view()
                .slice_tile::<m![W], 6, _>(0)
                .to_dm_view(&mut ctx.tdma, scores.view_mut().tile::<m![E], 1, _>(0).slice_tile::<m![W], 6, _>(0));
            scores
        }

        pub fn attend(ctx: &mut Context, q: &Heads, k_cache: &Cache, v_cache: &Cache) -> Heads {
            let scores = scores(ctx, q, k_cache);
            let greatest: DmTensor<f32, Chip, Cluster, m![256], m![G # 8]> = of_scores!(ctx, scores)
                .vector_intra_slice_reduce::<E, m![1 # 2], m![G # 4]>(IntraSliceReduceOpF32::Max)
                .vector_widen_concat::<m![1], m![G # 8]>()
                .vector_inter_slice_reduce::<m![256], m![1]>(InterSliceReduceOpF32::Max)
                .vector_final()
                .commit();
            let greatest = keep(ctx, &greatest);
            let weights: DmTensor<bf16, Chip, Cluster, m![W], m![G, E]> = exponentials!(ctx, scores, &greatest)
                .vector_widen_concat::<m![E], m![G # 8]>()
                .vector_final()
                .cast::<bf16, m![G # 16]>()
                .transpose::<m![E / 4, G], m![E % 4 # 16]>()
                .commit();
            let total: DmTensor<f32, Chip, Cluster, m![1 # 256], m![G # 8]> = exponentials!(ctx, scores, &greatest)
                .vector_intra_slice_reduce::<E, m![1 # 2], m![G # 4]>(IntraSliceReduceOpF32::Add)
                .vector_widen_concat::<m![1], m![G # 8]>()
                .vector_inter_slice_reduce::<m![1 # 256], m![1]>(InterSliceReduceOpF32::Add)
                .vector_final()
                .commit();
            let total = keep(ctx, &total);
            let weights: TrfTensor<bf16, Chip, Cluster, m![W], m![G], m![E]> =
                ctx.sub.begin(weights.view()).fetch::<m![G], m![E]>().collect::<m![G], m![E]>().to_trf();

            let mut values: DmTensor<bf16, Chip, Cluster, m![W], m![E, D # 32]> = DmTensor::new();
            let there: HbmTensorView<'_, bf16, Chip, m![H, W = 6 # 512, D]> = unsafe { v_cache.view().tile::<m![Position], 6, _>(0).reshape() };
            there.to_dm_view(&mut ctx.tdma, values.view_mut().tile::<m![E], 1, _>(0).slice_tile::<m![W], 6, _>(0));
            let parts: DmTensor<f32, Chip, Cluster, m![W], m![G, D # 32]> = ctx
                .main
                .begin(values.view())
                .fetch::<m![E], m![D # 32]>()
                .collect::<m![E, 1 # 2], m![D]>()
                .contract_outer::<m![E], m![D # 32], _, _, _>(&weights)
                .contract_packet::<m![D # 32]>()
                .contract_time::<m![1]>()
                .contract_lane::<m![G, D / 8 # 4], m![D % 8]>(LaneMode::Sequential)
                .commit();
            let out: DmTensor<bf16, Chip, Cluster, m![1 # 256], m![G, D]> = ctx
                .main
                .begin(parts.view())
                .fetch::<m![G, D / 8], m![D % 8]>()
                .collect::<m![G, D / 8], m![D % 8]>()
                .vector_init()
                .vector_inter_slice_reduce::<m![1 # 256], m![G, D / 8]>(InterSliceReduceOpF32::Add)
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![G, D / 4], m![D % 4]>()
                .vector_fp_div(FpDivBinaryOp::DivF, &total)
                .vector_widen_concat::<m![G, D / 8], m![D % 8]>()
                .vector_final()
                .cast::<bf16, m![D % 8 # 16]>()
                .commit();
            out.to_hbm(&mut ctx.tdma)
        }
    }

    /// Each of five tokens attends to itself and to those before it: a slice has one token, and all keys.
    mod attention_of_prompt {
        use super::*;
        axes![T = 5, E = 32, J = 2, P = 64];
        type Cluster = m![H];
        type Slice = m![T # 256];
        pub type Heads = HbmTensor<bf16, Chip, m![T, [H, G, D] # 128]>;
        type Block = DmTensor<bf16, Chip, Cluster, Slice, m![P, D # 32]>;
        type Keys = m![P % 2, P / 2];
        type Numbers = VrfTensor<f32, Chip, Cluster, Slice, m![G, 1 # 8]>;

        /// 0 where a token attends to a key, minus infinity where it does not.
        fn mask(ctx: &mut Context) -> VrfTensor<f32, Chip, Cluster, Slice, Keys> {
            let mut mask: DmTensor<f32, Chip, Cluster, Slice, m![J, E]> = DmTensor::new();
            mask.view_mut().memset(f32::NEG_INFINITY, &mut ctx.sub);
            macro_rules! key {
                ($key:literal) => {
                    mask.view_mut().tile::<m![E], 1, _>($key / 2).tile::<m![J], 1, _>($key % 2).memset(0.0, &mut ctx.sub);
                };
                ($key:literal, hidden from $tokens:literal) => {
                    key!($key);
                    let earlier = mask.view_mut().tile::<m![E], 1, _>($key / 2).tile::<m![J], 1, _>($key % 2).slice_tile::<m![T], $tokens, _>(0);
                    earlier.memset(f32::NEG_INFINITY, &mut ctx.sub);
                };
            }
            key!(0);
            key!(1, hidden from 1);
            key!(2, hidden from 2);
            key!(3, hidden from 3);
            key!(4, hidden from 4);
            let mask: DmTensor<f32, Chip, Cluster, Slice, Keys> = unsafe { mask.reshape() };
            ctx.sub.begin(mask.view()).fetch::<m![P % 2, P / 16], m![P / 2 % 8]>().collect::<m![P % 2, P / 16], m![P / 2 % 8]>().to_vrf()
        }

        fn block(ctx: &mut Context, cache: &Cache) -> Block {
            let first: HbmTensorView<'_, bf16, Chip, m![H, P # 512, D]> = unsafe { cache.view().tile::<m![Position], 64, _>(0).reshape() };
            first.to_dm(&mut ctx.tdma)
        }

        macro_rules! of_scores {
            ($ctx:ident, $scores:expr) => {
                $ctx.main
                    .begin($scores.view())
                    .fetch::<m![G, P % 2, P / 16], m![P / 2 % 8]>()
                    .collect::<m![G, P % 2, P / 16], m![P / 2 % 8]>()
                    .vector_init()
                    .vector_intra_slice_tag(TagMode::Zero)
                    .vector_narrow_split::<m![G, P % 2, P / 8], m![P / 2 % 4]>()
            };
        }
        macro_rules! weighted {
            ($ctx:ident, $weights:expr, $values:expr, $columns:ty, $row:ty) => {
                $ctx.main
                    .begin($weights.view())
                    .fetch::<m![G, P % 2], m![P / 2]>()
                    .collect::<m![G, P % 2, P / 32], m![P / 2 % 16]>()
                    .contract_outer::<m![G, P % 2, { $columns }], m![P / 2], _, _, _>(&$values)
                    .contract_packet::<m![1]>()
                    .contract_time::<m![G, { $columns }]>()
                    .contract_lane::<m![G, { $columns }], $row>(LaneMode::Interleaved)
                    .commit()
            };
        }
        fn keep(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, Slice, m![G, 1 # 8]>) -> Numbers {
            ctx.sub.begin(x.view()).fetch::<m![G], m![1 # 8]>().collect::<m![G], m![1 # 8]>().to_vrf()
        }

        fn scores(ctx: &mut Context, q: &Heads, cache: &Cache) -> DmTensor<f32, Chip, Cluster, Slice, m![G, P % 2, P / 2]> {
            let q: DmTensor<bf16, Chip, Cluster, Slice, m![G, D # 32]> = q.to_dm(&mut ctx.tdma);
            let keys = block(ctx, cache);
            let keys: TrfTensor<bf16, Chip, Cluster, Slice, m![P / 2 % 8], m![P % 2, P / 16, D # 32]> = ctx
                .sub
                .begin(keys.view())
                .fetch::<m![P / 2 % 8, P % 2, P / 16, 1 # 2], m![D]>()
                .collect::<m![P / 2 % 8, P % 2, P / 16, 1 # 2], m![D]>()
                .to_trf();
            let mask = mask(ctx);
            ctx.main
                .begin(q.view())
                .fetch::<m![G], m![D #{0} 32]>()
                .collect::<m![G, 1 #{0} 2], m![D]>()
                .contract_outer::<m![G, P % 2, P / 16], m![D #{0} 32], _, _, _>(&keys)
                .contract_packet::<m![1]>()
                .contract_time::<m![G, P % 2, P / 16]>()
                .contract_lane::<m![G, P % 2, P / 16], m![P / 2 % 8]>(LaneMode::Interleaved)
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![G, P % 2, P / 8], m![P / 2 % 4]>()
                .vector_fp_binary(FpBinaryOp::AddF, &mask)
                .vector_widen_concat::<m![G, P % 2, P / 16], m![P / 2 % 8]>()
                .vector_final()
                .commit()
        }

        pub fn attend(ctx: &mut Context, q: &Heads, k_cache: &Cache, v_cache: &Cache) -> Heads {
            let scores = scores(ctx, q, k_cache);
            let greatest: DmTensor<f32, Chip, Cluster, Slice, m![G, 1 # 8]> = of_scores!(ctx, scores)
                .vector_intra_slice_reduce::<P, m![G], m![1 # 4]>(IntraSliceReduceOpF32::Max)
                .vector_widen_pad::<Number>()
                .vector_final()
                .commit();
            let greatest = keep(ctx, &greatest);
            let weights: DmTensor<bf16, Chip, Cluster, Slice, m![G, P % 2, P / 2]> = of_scores!(ctx, scores)
                .vector_fp_binary(FpBinaryOp::SubF, &greatest)
                .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), SCALE)
                .vector_fp_unary(FpUnaryOp::Exp)
                .vector_widen_concat::<m![G, P % 2, P / 16], m![P / 2 % 8]>()
                .vector_final()
                .cast::<bf16, m![P / 2 % 8 # 16]>()
                .commit();

            let values = block(ctx, v_cache);
            let values: DmTensor<bf16, Chip, Cluster, Slice, m![D, P % 2, P / 2]> = ctx
                .main
                .begin(values.view())
                .fetch::<m![D / 8, P % 2, P / 2], m![D % 8]>()
                .collect::<m![D / 8, P % 2, P / 2], m![D % 8 # 16]>()
                .transpose::<m![D / 8, P % 2, P / 8, D % 8], m![P / 2 % 4 # 16]>()
                .commit();
            let values: TrfTensor<bf16, Chip, Cluster, Slice, m![D % 8], m![D / 8, P % 2, P / 2]> = ctx
                .sub
                .begin(values.view())
                .fetch::<m![D % 8, D / 8, P % 2, P / 32], m![P / 2 % 16]>()
                .collect::<m![D % 8, D / 8, P % 2, P / 32], m![P / 2 % 16]>()
                .to_trf();
            let sums: DmTensor<f32, Chip, Cluster, Slice, m![G, D]> = weighted!(ctx, weights, values, m![D / 8], m![D % 8]);
            let mut ones: DmTensor<bf16, Chip, Cluster, Slice, Keys> = DmTensor::new();
            ones.view_mut().memset(1.0, &mut ctx.sub);
            let ones: TrfTensor<bf16, Chip, Cluster, Slice, m![1], Keys> =
                ctx.sub.begin(ones.view()).fetch::<m![P % 2, P / 32], m![P / 2 % 16]>().collect::<m![P % 2, P / 32], m![P / 2 % 16]>().to_trf();
            let total: DmTensor<f32, Chip, Cluster, Slice, m![G, 1 # 8]> = weighted!(ctx, weights, ones, m![1], Number);
            let total = keep(ctx, &total);
            let out: DmTensor<bf16, Chip, Cluster, Slice, m![G, D]> = ctx
                .main
                .begin(sums.view())
                .fetch::<m![G, D / 8], m![D % 8]>()
                .collect::<m![G, D / 8], m![D % 8]>()
                .vector_init()
                .vector_intra_slice_tag(TagMode::Zero)
                .vector_narrow_split::<m![G, D / 4], m![D % 4]>()
                .vector_fp_div(FpDivBinaryOp::DivF, &total)
                .vector_widen_concat::<m![G, D / 8], m![D % 8]>()
                .vector_final()
                .cast::<bf16, m![D % 8 # 16]>()
                .commit();
            out.to_hbm(&mut ctx.tdma)
        }
    }

    /// What all steps have in common, for `$tokens` tokens from position `$first` on.
    macro_rules! step {
        ($name:ident, $tokens:literal, $first:literal, $attention:ident, $embed:ident, $layer:ident, $logits:ident) => {
            pub mod $name {
                use super::$attention::{attend, Heads};
                use super::*;
                axes![T = $tokens];
                type Alone = m![1 # 2];
                type Each = m![T # 256];
                type Rows = HbmTensor<bf16, Chip, m![T, C # 128]>;
                type Dm<Element, E> = DmTensor<Element, Chip, Alone, Each, E>;
                type Trf<R, E> = TrfTensor<bf16, Chip, Alone, Each, R, E>;
                type Vrf<E> = VrfTensor<f32, Chip, Alone, Each, E>;

                /// Rows of a table by their numbers.
                #[device(chip = 1)]
                pub fn $embed(ctx: &mut Context, table: &HbmTensor<bf16, Chip, m![Word, C # 128]>, words: &HbmTensor<i32, Chip, m![T]>) -> Rows {
                    table.gather::<Word, m![C # 128]>().by_positions(words).to_hbm()
                }

                fn keep(ctx: &mut Context, x: &Dm<f32, Number>) -> Vrf<Number> {
                    ctx.sub.begin(x.view()).fetch::<m![1], Number>().collect::<m![1], Number>().to_vrf()
                }

                fn norm(ctx: &mut Context, x: &Rows, weight: &Vector) -> Rows {
                    let x: Dm<bf16, m![C]> = x.to_dm(&mut ctx.tdma);
                    let squares: Dm<f32, Number> = floats!(ctx, x, C)
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_narrow_split::<m![C / 4], m![C % 4]>()
                        .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
                        .vector_intra_slice_reduce::<C, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
                        .vector_widen_pad::<Number>()
                        .vector_final()
                        .commit();
                    let scale: Dm<f32, Number> = ctx
                        .main
                        .begin(squares.view())
                        .fetch::<m![1], Number>()
                        .collect::<m![1], Number>()
                        .vector_init()
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_narrow_trim::<m![1 # 4]>()
                        .vector_fp_ternary(FpTernaryOp::FmaF, (1.0 / 64.0, 1e-5))
                        .vector_fp_unary(FpUnaryOp::Sqrt)
                        .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0)
                        .vector_widen_pad::<Number>()
                        .vector_final()
                        .commit();
                    let scale = keep(ctx, &scale);
                    let weight: Dm<bf16, m![C]> = weight.to_dm(&mut ctx.tdma);
                    let weight: Vrf<m![C]> =
                        ctx.sub.begin(weight.view()).fetch::<m![C / 8], m![C % 8]>().fetch_cast::<f32>().collect::<m![C / 8], m![C % 8]>().to_vrf();
                    let y: Dm<bf16, m![C]> = floats!(ctx, x, C)
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_narrow_split::<m![C / 4], m![C % 4]>()
                        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &scale)
                        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &weight)
                        .vector_widen_concat::<m![C / 8], m![C % 8]>()
                        .vector_final()
                        .cast::<bf16, m![C % 8 # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }

                /// x times a matrix of `N` rows of `K`, the first of those that are stored; the result has rows of `Padded`.
                fn product<N: M, K: M, Padded: M, Stored: M>(
                    ctx: &mut Context,
                    x: &HbmTensor<bf16, Chip, m![T, { K } # 128]>,
                    matrix: &HbmTensorView<'_, bf16, Chip, m![{ Stored }, { K } # 128]>,
                ) -> HbmTensor<bf16, Chip, m![T, { N } # { Padded::SIZE }]> {
                    let matrix: Dm<bf16, m![{ N }, { K }]> = matrix.to_dm(&mut ctx.tdma);
                    let weights: Trf<m![{ N } % 8], m![{ N } / 8, { K }]> = ctx
                        .sub
                        .begin(matrix.view())
                        .fetch::<m![{ N } % 8, { N } / 8, { K } / 16], m![{ K } % 16]>()
                        .collect::<m![{ N } % 8, { N } / 8, { K } / 16], m![{ K } % 16]>()
                        .to_trf();
                    let x: Dm<bf16, K> = x.to_dm(&mut ctx.tdma);
                    let y: Dm<bf16, N> = ctx
                        .main
                        .begin(x.view())
                        .fetch::<m![{ N } / 8, { K } / 32], m![{ K } % 32]>()
                        .collect::<m![{ N } / 8, { K } / 16], m![{ K } % 16]>()
                        .contract_outer::<m![{ N } / 8, { K } / 32], m![{ K } % 32], _, _, _>(&weights)
                        .contract_packet::<m![1]>()
                        .contract_time::<m![{ N } / 8]>()
                        .contract_lane::<m![{ N } / 8], m![{ N } % 8]>(LaneMode::Interleaved)
                        .cast::<bf16, m![{ N } % 8 # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }

                /// Turns neighbouring columns of each head as their token's row of the table says.
                fn rope<Heads: M>(
                    ctx: &mut Context,
                    x: &HbmTensorView<'_, bf16, Chip, m![T, [{ Heads }, Pair, From] # 128]>,
                    table: &Rotations,
                ) -> HbmTensor<bf16, Chip, m![T, [{ Heads }, Pair, To] # 128]> {
                    let x: Dm<bf16, m![{ Heads }, Pair, From]> = x.to_dm(&mut ctx.tdma);
                    let table: HbmTensorView<'_, bf16, Chip, m![T # 24, To, Pair, From]> = unsafe { table.view().tile::<m![Row], $tokens, _>($first).reshape() };
                    let table: Dm<bf16, m![To, Pair, From]> = table.to_dm(&mut ctx.tdma);
                    let turns: Trf<m![To], m![Pair, From]> =
                        ctx.sub.begin(table.view()).fetch::<m![To], m![Pair, From]>().collect::<m![To], m![Pair, From]>().to_trf();
                    let turned: Dm<f32, m![{ Heads }, Pair, To]> = ctx
                        .main
                        .begin(x.view())
                        .fetch::<Heads, m![Pair, From]>()
                        .collect::<Heads, m![Pair, From]>()
                        .contract_outer::<Heads, m![Pair #{0} 16, From], _, _, _>(&turns)
                        .contract_packet::<m![Pair #{0} 16]>()
                        .contract_time::<Heads>()
                        .contract_lane::<m![{ Heads }, Pair], m![To # 8]>(LaneMode::Interleaved)
                        .commit();
                    let y: Dm<bf16, m![{ Heads }, Pair, To]> = ctx
                        .main
                        .begin(turned.view())
                        .fetch::<m![{ Heads }, Pair / 4], m![Pair % 4, To]>()
                        .fetch_cast::<bf16>()
                        .collect::<m![{ Heads }, Pair / 4], m![[Pair % 4, To] # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }

                fn add(ctx: &mut Context, x: &Rows, y: &Rows) -> Rows {
                    let x: Dm<bf16, m![C]> = x.to_dm(&mut ctx.tdma);
                    let y: Dm<bf16, m![C]> = y.to_dm(&mut ctx.tdma);
                    let sum: Dm<bf16, m![C]> = ctx
                        .main
                        .begin_interleaved::<Both, _, _, _, _, _>(x.view(), y.view())
                        .fetch::<m![C / 8, Both], m![C % 8]>()
                        .fetch_cast::<f32>()
                        .collect::<m![C / 8, Both], m![C % 8]>()
                        .vector_init()
                        .vector_intra_slice_unzip::<Both, m![C / 8, 1 # 2], m![C / 8]>()
                        .vector_narrow_split::<m![C / 4], m![C % 4]>()
                        .vector_fp_zip(FpBinaryOp::AddF)
                        .vector_widen_concat::<m![C / 8], m![C % 8]>()
                        .vector_final()
                        .cast::<bf16, m![C % 8 # 16]>()
                        .commit();
                    sum.to_hbm(&mut ctx.tdma)
                }

                /// silu(gate) * up.
                fn swiglu(ctx: &mut Context, both: &HbmTensor<bf16, Chip, m![T, GateUp # 256]>) -> HbmTensor<bf16, Chip, m![T, F # 128]> {
                    let gate: HbmTensorView<'_, bf16, Chip, m![T, F # 256]> = unsafe { both.view().tile::<m![GateUp], 96, _>(0).reshape() };
                    let up: HbmTensorView<'_, bf16, Chip, m![T, F # 256]> = unsafe { both.view().tile::<m![GateUp], 96, _>(96).reshape() };
                    let gate: Dm<bf16, m![F]> = gate.to_dm(&mut ctx.tdma);
                    let up: Dm<bf16, m![F]> = up.to_dm(&mut ctx.tdma);
                    let active: Dm<f32, m![F]> = floats!(ctx, gate, F)
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_narrow_split::<m![F / 4], m![F % 4]>()
                        .vector_stash()
                        .vector_fp_unary(FpUnaryOp::Sigmoid)
                        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash)
                        .vector_widen_concat::<m![F / 8], m![F % 8]>()
                        .vector_final()
                        .commit();
                    let up: Vrf<m![F]> = ctx.sub.begin(up.view()).fetch::<m![F / 8], m![F % 8]>().fetch_cast::<f32>().collect::<m![F / 8], m![F % 8]>().to_vrf();
                    let y: Dm<bf16, m![F]> = ctx
                        .main
                        .begin(active.view())
                        .fetch::<m![F / 8], m![F % 8]>()
                        .collect::<m![F / 8], m![F % 8]>()
                        .vector_init()
                        .vector_intra_slice_tag(TagMode::Zero)
                        .vector_narrow_split::<m![F / 4], m![F % 4]>()
                        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &up)
                        .vector_widen_concat::<m![F / 8], m![F % 8]>()
                        .vector_final()
                        .cast::<bf16, m![F % 8 # 16]>()
                        .commit();
                    y.to_hbm(&mut ctx.tdma)
                }

                pub type Query = HbmTensor<bf16, Chip, m![T, H, G # 4, D]>;
                pub type Token = HbmTensor<bf16, Chip, m![T, H # 8, D]>;

                /// Queries, keys and values of the tokens; keys and values go into the caches.
                fn attended_to(ctx: &mut Context, x: &Rows, qkv: &HbmTensor<bf16, Chip, m![Q, C # 128]>, rotations: &Rotations, k_cache: &mut Cache, v_cache: &mut Cache) -> HbmTensor<bf16, Chip, m![T, [H, G, D] # 128]> {
                    let all: HbmTensor<bf16, Chip, m![T, Q]> = product::<m![Q], m![C], m![Q], m![Q]>(ctx, x, &qkv.view());
                    let q: HbmTensorView<'_, bf16, Chip, m![T, [Head, Pair, From] # 128]> = unsafe { all.view().tile::<m![Q], 64, _>(0).reshape() };
                    let k: HbmTensorView<'_, bf16, Chip, m![T, [KvHead, Pair, From] # 128]> = unsafe { all.view().tile::<m![Q], 32, _>(64).reshape() };
                    let v: HbmTensorView<'_, bf16, Chip, m![T, [H, D] # 128]> = unsafe { all.view().tile::<m![Q], 32, _>(96).reshape() };
                    let q = rope::<m![Head]>(ctx, &q, rotations);
                    let k = rope::<m![KvHead]>(ctx, &k, rotations);
                    let k: HbmTensor<bf16, Chip, m![T, [H, D] # 128]> = unsafe { k.reshape() };
                    append(ctx, k.view(), k_cache);
                    append(ctx, v, v_cache);
                    unsafe { q.reshape() }
                }
                fn append(ctx: &mut Context, new: HbmTensorView<'_, bf16, Chip, m![T, [H, D] # 128]>, cache: &mut Cache) {
                    let place: HbmTensorViewMut<'_, bf16, Chip, m![H, T # 512, D]> = unsafe { cache.view_mut().tile::<m![Position], $tokens, _>($first).reshape() };
                    new.to_hbm_view(&mut ctx.tdma, place);
                }

                #[device(chip = 1)]
                pub fn $layer(
                    ctx: &mut Context,
                    x: &Rows,
                    attention_norm: &Vector,
                    qkv: &HbmTensor<bf16, Chip, m![Q, C # 128]>,
                    rotations: &Rotations,
                    k_cache: &mut Cache,
                    v_cache: &mut Cache,
                    output: &HbmTensor<bf16, Chip, m![Copy, C, [H, G, D] # 128]>,
                    ffn_norm: &Vector,
                    gate_up: &HbmTensor<bf16, Chip, m![Copy, GateUp, C # 128]>,
                    down: &HbmTensor<bf16, Chip, m![Copy, C, F # 128]>,
                ) -> Rows {
                    let normed = norm(ctx, x, attention_norm);
                    let q = attended_to(ctx, &normed, qkv, rotations, k_cache, v_cache);
                    let q: Heads = unsafe { q.reshape() };
                    let attended = attend(ctx, &q, k_cache, v_cache);
                    let attended: HbmTensor<bf16, Chip, m![T, [H, G, D] # 128]> = unsafe { attended.reshape() };
                    let made = product::<m![C], m![H, G, D], m![128], m![C # 128]>(ctx, &attended, &output.view().tile::<m![Copy], 1, _>(0));
                    let x = add(ctx, x, &made);
                    let normed = norm(ctx, &x, ffn_norm);
                    let both = product::<m![GateUp], m![C], m![256], m![GateUp # 384]>(ctx, &normed, &gate_up.view().tile::<m![Copy], 1, _>(0));
                    let active = swiglu(ctx, &both);
                    let made = product::<m![C], m![F], m![128], m![C # 128]>(ctx, &active, &down.view().tile::<m![Copy], 1, _>(0));
                    add(ctx, &x, &made)
                }

                #[device(chip = 1)]
                pub fn $logits(ctx: &mut Context, x: &Rows, weight: &Vector, words: &HbmTensor<bf16, Chip, m![Copy, Word, C # 128]>) -> HbmTensor<bf16, Chip, m![T, Word # 128]> {
                    let normed = norm(ctx, x, weight);
                    product::<m![Word], m![C], m![128], m![Word # 192]>(ctx, &normed, &words.view().tile::<m![Copy], 1, _>(0))
                }
            }
        };
    }
    step!(next_token, 1, 5, attention_of_one, embed_word, decode_layer, logits);
    step!(prompt, 5, 0, attention_of_prompt, embed_prompt, prefill_layer, logits_of_prompt);
}
