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
