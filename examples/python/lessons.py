"""The lessons of examples/ in Python: the same kernels, which give the same bits as those in C++ (tests/python/test_lessons.py compares them).

Each function is a lesson. But for lesson 30, a program, it returns the kernels in the order in which the C++ program launches them, each with the tensors that it takes: (kernel, [tensor, ...]), a
tensor as (type, Element) or (type, Element, Chip). The text of each lesson is in its folder beside this one.
"""
import json

import numpy as np
import tcp_visa as tv

one = tv.one
CLUSTER = "1 # 2"  # the first cluster works, the second idles


def vector_pass(stream):
    """What all passes through the Vector Engine begin with."""
    return stream.vector_init().vector_intra_slice_branch("Unconditional")


def flits(context, dm, type, time, packet):
    """Fetches and collects in the same shape."""
    return context.begin(dm).fetch(type, time, packet).collect(time, packet)


def first_program():
    A = tv.axes(A=2048)

    @tv.kernel
    def copy(ctx, x):
        dm = x.to_dm(CLUSTER, (A // 8).pad(256), A % 8)
        return flits(ctx.main, dm, "i32", 1, A % 8).commit(A % 8).to_hbm(A)
    return [(copy, [("i32", A)])]


def constant_addition():
    A = tv.axes(A=2048)

    @tv.kernel
    def add_one(ctx, x):
        dm = x.to_dm(CLUSTER, (A // 8).pad(256), A % 8)
        return vector_pass(flits(ctx.main, dm, "i32", 1, A % 8)).vector_fxp("AddFxp", 1).vector_final().commit(A % 8).to_hbm(A)
    return [(add_one, [("i32", A)])]


def elementwise_multiplication():
    A = tv.axes(A=2048)

    @tv.kernel
    def multiply(ctx, lhs, rhs):
        lhs_dm, rhs_dm = (x.to_dm(CLUSTER, (A // 8).pad(256), A % 8) for x in (lhs, rhs))
        operand = flits(ctx.sub, rhs_dm, "i32", 1, A % 8).to_vrf(A % 8)
        return vector_pass(flits(ctx.main, lhs_dm, "i32", 1, A % 8)).vector_fxp("MulInt", operand).vector_final().commit(A % 8).to_hbm(A)
    return [(multiply, [("i32", A)] * 2)]


def dot_product():
    A = tv.axes(A=2048)

    @tv.kernel
    def dot(ctx, lhs, rhs):
        lhs_dm, rhs_dm = (x.to_dm(CLUSTER, one.pad(256), A) for x in (lhs, rhs))
        weights = ctx.sub.begin(rhs_dm).fetch("bf16", 1, A).collect(A // 16, A % 16).to_trf(1, A, "Full")
        out = (ctx.main.begin(lhs_dm).fetch("bf16", 1, A).collect(A // 16, A % 16).align(weights, A // 32, A % 32).contract(1)
               .accumulate("Interleaved", 1, one.pad(8)).cast("bf16", one.pad(16)).commit(one.pad(8)))
        return out.to_hbm(one.pad(8))
    return [(dot, [("bf16", A)] * 2)]


def gemv():
    I, J = tv.axes(I=256, J=2048)

    @tv.kernel
    def product(ctx, matrix, vector):
        matrix_dm, vector_dm = (x.to_dm(CLUSTER, I, J) for x in (matrix, vector))
        weights = ctx.sub.begin(vector_dm).fetch("bf16", 1, J).collect(J // 16, J % 16).to_trf(1, J, "Full")
        out = (ctx.main.begin(matrix_dm).fetch("bf16", 1, J).collect(J // 16, J % 16).align(weights, J // 32, J % 32).contract(1)
               .accumulate("Interleaved", 1, one.pad(8)).cast("bf16", one.pad(16)).commit(one.pad(4)))
        return out.to_hbm((I, one.pad(4)))
    return [(product, [("bf16", tv.map(I, J)), ("bf16", J)])]


def gemm():
    I, J, K = tv.axes(I=512, J=512, K=64)
    grid, groups = tv.map(I // 32, J // 32), J // 8 % 4

    @tv.kernel
    def product(ctx, a, b):
        a_dm = a.to_dm(CLUSTER, grid, (I % 32, K))
        b_dm = b.to_dm(CLUSTER, grid, (J % 32, K))
        weights = ctx.sub.begin(b_dm).fetch("bf16", (J % 8, groups), K).collect((J % 8, groups, K // 16), K % 16).to_trf(J % 8, (groups, K), "Full")
        c = (ctx.main.begin(a_dm).fetch("bf16", (I % 32, groups), K).collect((I % 32, groups, K // 16), K % 16)
             .align(weights, (I % 32, groups, K // 32), K % 32).contract(1).accumulate("Interleaved", (I % 32, groups), J % 8)
             .cast("bf16", (J % 8).pad(16)).commit((I % 32, J % 32)))
        return c.to_hbm((I, J))
    return [(product, [("bf16", tv.map(I, K)), ("bf16", tv.map(J, K))])]


def tiling():
    I, J, K = tv.axes(I=128, J=128, K=512)
    grid, groups, tiles = tv.map(I // 32, J // 32).pad(256), J // 8 % 4, 4

    def load(a, b, tile):
        return (a.tile(K // 128, 1, tile).to_dm(CLUSTER, grid, (I % 32, K % 128)), b.tile(K // 128, 1, tile).to_dm(CLUSTER, grid, (J % 32, K % 128)))

    def products(ctx, tile):
        a, b = tile
        weights = (ctx.sub.begin(b).fetch("bf16", (J % 8, groups), K % 128).collect((J % 8, groups, K // 16 % 8), K % 16)
                   .to_trf(J % 8, (groups, K % 128), "Full"))
        return (ctx.main.begin(a).fetch("bf16", (I % 32, groups), K % 128).collect((I % 32, groups, K // 16 % 8), K % 16)
                .align(weights, (I % 32, groups, K // 32 % 4), K % 32).contract(1).accumulate("Interleaved", (I % 32, groups), J % 8))

    def add_to(ctx, tile, sums):
        so_far = ctx.sub.begin(sums).fetch("f32", I % 32, J % 32).collect((I % 32, groups), J % 8).to_vrf((I % 32, J % 32))
        return vector_pass(products(ctx, tile)).vector_clip("Add", so_far).vector_final()

    @tv.kernel
    def product(ctx, a, b):
        now, sums = load(a, b, 0), None
        for t in range(tiles - 1):
            with ctx.region("tile", t):
                following = load(a, b, t + 1)
                sums = (products(ctx, now) if t == 0 else add_to(ctx, now, sums)).commit((I % 32, J % 32))
                now = following
        with ctx.region("tile", tiles - 1):
            c = add_to(ctx, now, sums).cast("bf16", (J % 8).pad(16)).commit((I % 32, J % 32))
            return c.to_hbm((I, J))
    return [(product, [("bf16", tv.map(I, K)), ("bf16", tv.map(J, K))])]


def relu_and_pipelines():
    A = tv.axes(A=2048)

    def elementwise(type, body):
        def kernel(ctx, x):
            dm = x.to_dm(CLUSTER, A // 8, A % 8)
            return body(vector_pass(flits(ctx.main, dm, type, 1, A % 8))).vector_final().commit(A % 8).to_hbm(A)
        return tv.kernel(kernel), [(type, A)]

    def floats(stream, body):
        return body(stream.vector_split(A // 4 % 2, A % 4)).vector_concat(1, A % 8)
    return [
        elementwise("f32", lambda s: s.vector_clip("Max", 0.0)),
        elementwise("i32", lambda s: floats(s.vector_fxp("AddFxp", 100).vector_fxp_to_fp(21), lambda f: f.vector_fp_unary("Sigmoid")).vector_fp_to_fxp(21).vector_clip("Max", 512)),
        elementwise("f32", lambda s: floats(s, lambda f: f.vector_fp_binary("AddF", 1.0).vector_fp_binary("MulF0", 2.0).vector_fp_binary("MulF1", 3.0)
                                            .vector_fp_unary("Sqrt").vector_fp_unary("Exp"))),
        elementwise("f32", lambda s: floats(s.vector_stash(), lambda f: f.vector_fp_binary("MulF0", 0.25)).vector_clip("Max", tv.Stash)),
    ]


def two_groups():
    A, I = tv.axes(A=2048, I=2)

    def both(type, body):
        def kernel(ctx, x, y):
            x_dm, y_dm = (t.to_dm(CLUSTER, A // 8, A % 8) for t in (x, y))
            s = ctx.main.begin_interleaved(I, x_dm, y_dm).fetch(type, I, A % 8).collect(I, A % 8)
            return body(s.vector_init().vector_intra_slice_unzip(I, one.pad(2), 1)).vector_final().commit(A % 8).to_hbm(A)
        return tv.kernel(kernel), [(type, A)] * 2

    def floats(stream, body):
        return body(stream.vector_split(A // 4 % 2, A % 4)).vector_concat(1, A % 8)
    return [
        both("i32", lambda s: s.vector_fxp("MulInt", 10, tv.skip).vector_clip_zip("AddFxp")),
        both("f32", lambda s: floats(s, lambda f: f.vector_fp_zip_with_mode("SubF", "Mode10"))),
        both("f32", lambda s: floats(s, lambda f: f.vector_fp_unary("Exp", "group0").vector_fp_zip("MulF0"))),
    ]


def softmax():
    N, R = tv.axes(N=256, R=1024)

    def row(ctx, x):
        return vector_pass(flits(ctx.main, x, "f32", R // 8, R % 8)).vector_split(R // 4, R % 4)

    def number(stream, op):
        return stream.vector_intra_slice_reduce(R, op, 1, one.pad(4)).vector_pad_way8(one.pad(8)).vector_final().commit(one.pad(8))

    def keep(ctx, dm):
        return flits(ctx.sub, dm, "f32", 1, one.pad(8)).to_vrf(one.pad(8))

    @tv.kernel
    def rows(ctx, x):
        dm = x.to_dm(CLUSTER, N, R)
        greatest = keep(ctx, number(row(ctx, dm), "Max"))
        total = keep(ctx, number(row(ctx, dm).vector_fp_binary("SubF", greatest).vector_fp_unary("Exp"), "Add"))
        y = row(ctx, dm).vector_fp_binary("SubF", greatest).vector_fp_unary("Exp").vector_fp_div("DivF", total).vector_concat(R // 8, R % 8)
        return y.vector_final().cast("bf16", (R % 8).pad(16)).commit(R).to_hbm((N, R))
    return [(rows, [("bf16", tv.map(N, R))])]


def padded_reduction():
    X, A, R, Y, B, Q = tv.axes(X=256, A=8, R=19, Y=32, B=4, Q=17)
    r, q = R.pad(24), Q.pad(24)

    @tv.kernel
    def sum_of_exp(ctx, x):
        dm = x.to_dm(CLUSTER, X, (A, r))
        s = vector_pass(flits(ctx.main, dm, "f32", (A, r // 8), r % 8)).vector_split((A, r // 4), r % 4).vector_fp_unary("Exp")
        y = s.vector_intra_slice_reduce(R, "Add", A, one.pad(4)).vector_pad_way8(one.pad(8)).vector_final().commit((A, one.pad(2)))
        return y.to_hbm((X, A))

    @tv.kernel
    def greatest(ctx, x):
        dm = x.to_dm(CLUSTER, (Y, q // 3), (q % 3, B))
        s = vector_pass(ctx.main.begin(dm).fetch("i32", q % 3, B).collect(q % 3, B.pad(8))).vector_trim_way4(B)
        s = s.vector_intra_slice_reduce(Q, "Max", 1, B).vector_pad_way8(B.pad(8)).vector_inter_slice_reduce("Max", (Y, one.pad(8)), 1)
        return s.vector_final().commit(B).to_hbm((Y, B))
    return [(sum_of_exp, [("f32", tv.map(X, A, r))]), (greatest, [("i32", tv.map(Y, Q, B))])]


def layer_normalisation():
    T, H, I = tv.axes(T=256, H=1024, I=2)
    eight = one.pad(8)

    def row(ctx, x):
        return vector_pass(flits(ctx.main, x, "f32", H // 8, H % 8)).vector_split(H // 4, H % 4)

    def total(stream):
        return stream.vector_intra_slice_reduce(H, "Add", 1, one.pad(4)).vector_pad_way8(eight).vector_final().commit(eight)

    def squares(ctx, x, mean):
        return total(row(ctx, x).vector_fp_binary("SubF", mean).vector_fp_binary_with_mode("MulF0", "Mode00"))

    def share_of_both(ctx, left, right, more):
        s = ctx.main.begin_interleaved(I, left, right).fetch("f32", I, eight).collect(I, eight).vector_init().vector_intra_slice_unzip(I, one.pad(2), 1)
        s = s.vector_split(one.pad(2), one.pad(4)).vector_fp_zip("AddF").vector_fp_binary("MulF0", 1 / 2048).vector_concat(1, eight)
        return s.vector_clip("Add", more).vector_final().commit(eight)

    def root(ctx, x):
        s = vector_pass(flits(ctx.main, x, "f32", 1, eight)).vector_trim_way4(one.pad(4)).vector_fp_unary("Sqrt")
        return s.vector_pad_way8(eight).vector_final().commit(eight)

    def keep(ctx, x):
        return flits(ctx.sub, x, "f32", 1, eight).to_vrf(eight)

    def normalised(ctx, x, mean, deviation):
        s = row(ctx, x).vector_fp_binary("SubF", mean).vector_fp_div("DivF", deviation).vector_concat(H // 8, H % 8)
        return s.vector_final().cast("bf16", (H % 8).pad(16)).commit(H).to_hbm((T, H))

    @tv.kernel
    def layer_norm(ctx, x, y):
        left, right = (t.to_dm(CLUSTER, T, H) for t in (x, y))
        mean = keep(ctx, share_of_both(ctx, total(row(ctx, left)), total(row(ctx, right)), 0.0))
        variance = share_of_both(ctx, squares(ctx, left, mean), squares(ctx, right, mean), float(np.float32(1e-5)))
        deviation = keep(ctx, root(ctx, variance))
        return normalised(ctx, left, mean, deviation), normalised(ctx, right, mean, deviation)
    return [(layer_norm, [("bf16", tv.map(T, H))] * 2)]


def convolution():
    N, K, C = tv.axes(N=4, K=4, C=16)
    grid = tv.map(N, C // 8).pad(256)

    def case(outputs, filter, stride, dilation, columns, room):
        H, W, Fh, Fw = tv.axes(H=outputs, W=outputs, Fh=filter, Fw=filter)
        h, w = tv.slide((H, stride), (Fh, dilation)), tv.slide((W, stride), (Fw, dilation))
        image, weights = tv.map(K, h, w), tv.map(K, Fh.pad(room), Fw.pad(room))
        wide = W.pad(columns)

        @tv.kernel
        def convolved(ctx, x, f):
            x_dm, f_dm = x.to_dm(CLUSTER, grid, image), f.to_dm(CLUSTER, grid, (C % 8, weights))
            trf = flits(ctx.sub, f_dm, "bf16", (C % 8, K), (Fh.pad(room), Fw.pad(room))).to_trf(C % 8, weights, "Full")
            s = flits(ctx.main, x_dm, "bf16", (H, K, Fh), w)
            s = s.align(trf, (H, K, Fh, Fw), wide) if stride == 1 else s.align(trf, (H, K, Fh, Fw // 2), (wide, Fw % 2))
            s = s.contract(wide).accumulate("Sequential", (H, C % 8, wide // 8), wide % 8).cast("bf16", (wide % 8).pad(16))
            return s.commit((H, C % 8, wide)).to_hbm((N, C, H, wide))
        return convolved, [("bf16", tv.map(N, image)), ("bf16", tv.map(C, weights))]
    return [case(30, 3, 1, 1, 32, 4), case(15, 4, 2, 1, 16, 4), case(28, 3, 1, 2, 32, 4)]


def collectives():
    A, B, C, I = tv.axes(A=4, B=4, C=2048, I=2)

    def add(ctx, time, x, y):
        s = ctx.main.begin_interleaved(I, x, y).fetch("i32", (time, I), C % 8).collect((time, I), C % 8).vector_init()
        return s.vector_intra_slice_unzip(I, (time, one.pad(2)), time).vector_clip_zip("AddFxp").vector_final().commit((time, C % 8))

    @tv.kernel(chips=4)
    def reduce_scatter(ctx, x):
        dm = x.to_dm(CLUSTER, C // 8, (B, C % 8))
        parts = [dm.chip_slice(B, 1, [0, 1, 2, 3], B, C % 8)]
        cut = [dm.chip_slice(B, 1, [(c - k) % 4 for c in range(4)], A, C % 8) for k in (1, 2, 3)]
        parts += [s.chip_shuffle([(c + k) % 4 for c in range(4)], B) for k, s in zip((1, 2, 3), cut)]
        total = parts[0]
        for part in parts[1:]:
            total = add(ctx, one, total, part)
        return total.to_hbm(C)

    @tv.kernel(chips=4)
    def all_gather(ctx, parts):
        return parts.to_hbm((B, C), chip=4)

    @tv.kernel(chips=4)
    def all_reduce(ctx, x):
        own = x.to_dm(CLUSTER, C // 8, (B, C % 8))
        others = [own.chip_shuffle([(c + k) % 4 for c in range(4)], A) for k in (1, 2, 3)]
        total = own
        for other in others:
            total = add(ctx, B, total, other)
        return total.to_hbm((B, C))
    return [(reduce_scatter, [("i32", tv.map(B, C), A)]), (all_gather, [("i32", C, B)]), (all_reduce, [("i32", tv.map(B, C), A)])]


def padding_and_segments():
    def single(body, *tensor):
        return tv.kernel(body), [("f8e4m3", *tensor)]
    slice = one.pad(256)
    A, B, C = tv.axes(A=3, B=5, C=2)
    rows = tv.map(B, C).pad(32)

    def permute(ctx, x):
        dm = x.to_dm(CLUSTER, slice, (A.pad(4), B, C))
        return ctx.main.begin(dm).fetch("f8e4m3", (A, B), C.pad(8)).collect((A, B), C.pad(32)).commit((B, A, C.pad(8))).to_hbm((B, A, C.pad(8)))

    def copy_rows(ctx, x):
        dm = x.to_dm(CLUSTER, slice, (A.pad(4), B, C))
        return flits(ctx.main, dm, "f8e4m3", A, rows).commit((A, rows)).to_hbm((A, rows))
    P, Q = tv.axes(A=65, B=2)

    def tail(row, step):
        p = P.pad(row)

        def copy(ctx, x):
            dm = x.to_dm(CLUSTER, slice, (Q, p))
            s = ctx.main.begin(dm).fetch("f8e4m3", (Q, p // step), p % step).collect((Q, p // step), (p % step).pad(32))
            return s.commit((Q, p)).to_hbm((Q, p))
        return copy, tv.map(Q, p)
    X, Y = tv.axes(A=2048, B=32)

    def segments(ctx, x):
        source = x.to_dm(CLUSTER, slice, (X, Y), 0)
        to = ctx.dm_at(256 << 10, "f8e4m3", CLUSTER, slice, (X, Y))
        for part in range(2):
            s = flits(ctx.main, source.tile(X, 1024, 1024 * part), "f8e4m3", X.resize(1024), Y)
            s.commit_view(to.view_mut().tile(X, 1024, 1024 * part))
        return to.to_hbm((X, Y))
    return [single(permute, tv.map(A.pad(4), B, C)), single(copy_rows, tv.map(A.pad(4), B, C)), *(single(*tail(*t)) for t in TAILS), single(segments, tv.map(X, Y))]


TAILS = [(72, 24), (80, 16), (88, 8), (96, 32)]


def branches_and_filter():
    A, K = tv.axes(A=16384, K=32)
    negative, large = tv.OperandGuard.bit(0), tv.OperandGuard.bit(1)

    def begun(ctx, x):
        return flits(ctx.main, x.to_dm(CLUSTER, A // 64, A % 64), "i32", A // 8 % 8, A % 8).vector_init()

    @tv.kernel
    def decide(ctx, x, y):
        branched = begun(ctx, x).vector_intra_slice_branch(tv.BranchMode.comparison(tv.InputCmp.Less(0), tv.InputCmp.Greater(100)))
        branched, ids = branched.vector_branch_log(A % 64, 0)
        scaled = branched.vector_fxp("MulInt", tv.when(-2, negative), tv.when(3, large)).vector_final().commit(A % 64)
        shifted = begun(ctx, y).vector_intra_slice_branch("Vrf", ids).vector_fxp("AddFxp", tv.when(1000, negative)).vector_final().commit(A % 64)
        return scaled.to_hbm(A), shifted.to_hbm(A)

    @tv.kernel
    def keep_negative(ctx, x):
        s = begun(ctx, x).vector_intra_slice_branch(tv.BranchMode.comparison(tv.InputCmp.Less(0)))
        s, count = s.vector_filter(negative, 0, K // 8, K % 8)
        values = s.vector_final().commit(K)
        zero = ctx.dm("i32", CLUSTER, A // 64, one.pad(8))
        ctx.memset(zero, 0)
        counted = vector_pass(flits(ctx.main, zero, "i32", 1, one.pad(8))).vector_fxp("AddFxp", count).vector_final().commit(one.pad(2))
        return values.to_hbm((A // 64, K)), counted.to_hbm((A // 64, one.pad(2)))
    return [(decide, [("i32", A)] * 2), (keep_negative, [("i32", A)])]


def embedding():
    V, D, S = tv.axes(V=1000, D=64, S=256)

    @tv.kernel
    def embed(ctx, table, tokens, position):
        rows = table.gather_to_dm(V, tokens, CLUSTER, S, D)
        operand = ctx.sub.begin(position.to_dm(CLUSTER, S, D)).fetch("f32", 1, D).collect(D // 8, D % 8).to_vrf(D)
        s = vector_pass(ctx.main.begin(rows).fetch("f32", 1, D).collect(D // 8, D % 8)).vector_clip("Add", operand)
        return s.vector_final().commit(D).to_hbm((S, D))

    @tv.kernel
    def store(ctx, table, tokens, rows):
        rows.scatter(V, tokens, table.view_mut())
    table, tokens, rows = ("f32", tv.map(V, D)), ("i32", S), ("f32", tv.map(S, D))
    return [(embed, [table, tokens, rows]), (store, [table, tokens, rows])]


def quantised():
    I, N, K, A = tv.axes(I=256, N=8, K=256, A=8192)

    @tv.kernel
    def linear(ctx, x, w):
        x_dm, w_dm = x.to_dm(CLUSTER, I, K), w.to_dm(CLUSTER, I, (N, K))
        weights = ctx.sub.begin(w_dm).fetch("i8", N, K).collect((N, K // 32), K % 32).to_trf(N, K, "Full")
        s = ctx.main.begin(x_dm).fetch_with_zero_points([11], "i9", 1, K).collect(K // 32, K % 32)
        s = vector_pass(s.align(weights, K // 64, K % 64).contract(1).accumulate("Interleaved", 1, N))
        s = s.vector_fxp("MulInt", 3).vector_fxp("ArithRightShiftRound", 12).vector_clip("Min", 127).vector_clip("Max", -128)
        return s.vector_final().cast("i8", N.pad(32)).commit(N).to_hbm((I, N))

    @tv.kernel
    def decode(ctx, x):
        table = tv.astype([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], "f8e4m3")
        dm = x.to_dm(CLUSTER, A // 32, A % 32)
        return ctx.main.begin(dm).fetch_with_table(table, "f8e4m3", 1, A % 32, name="f4e2m1").collect(1, A % 32).commit(A % 32).to_hbm(A)
    return [(linear, [("i8", tv.map(I, K)), ("i8", tv.map(N, K))]), (decode, [("i4", A)])]


def switch_and_transpose():
    I, J = tv.axes(I=256, J=4096)

    @tv.kernel
    def broadcast(ctx, matrix, vector):
        matrix_dm, vector_dm = matrix.to_dm(CLUSTER, I, J), vector.to_dm(CLUSTER, J // 16, J % 16)
        weights = (ctx.sub.begin(vector_dm).fetch("bf16", 1, J % 16).switch_to(tv.SwitchConfig.Broadcast01(slice1=256, slice0=1, time0=1), I, J // 16)
                   .collect(J // 16, J % 16).to_trf(1, J, "Full"))
        s = ctx.main.begin(matrix_dm).fetch("bf16", 1, J).collect(J // 16, J % 16).align(weights, J // 32, J % 32).contract(1)
        return s.accumulate("Interleaved", 1, one.pad(8)).cast("bf16", one.pad(16)).commit(one.pad(4)).to_hbm((I, one.pad(4)))
    R, C, P = tv.axes(R=256, C=256, P=8)

    @tv.kernel
    def across_slices(ctx, x):
        s = ctx.main.begin(x.to_dm(CLUSTER, R, (C, P))).fetch("i32", C, P)
        return s.switch_to(tv.SwitchConfig.InterTranspose(slice1=256, slice0=1, time0=1), C, R).collect(R, P).commit((R, P)).to_hbm((C, R, P))
    S, C8, D, E = tv.axes(S=256, C=8, D=4, E=8)

    @tv.kernel
    def within_a_slice(ctx, x):
        s = ctx.main.begin(x.to_dm(CLUSTER, S, (C8, D, E))).fetch("bf16", (C8, D), E).collect((C8, D), E.pad(16))
        return s.transpose((C8, E), D.pad(16)).commit((C8, E, D)).to_hbm((S, C8, E, D))
    return [(broadcast, [("bf16", tv.map(I, J)), ("bf16", J)]), (across_slices, [("i32", tv.map(R, C, P))]), (within_a_slice, [("bf16", tv.map(S, C8, D, E))])]


def prefix_sums():
    T, A = tv.axes(T=64, A=4096)

    @tv.kernel
    def running_sum(ctx, x):
        dm = x.to_dm(A // 2048, A // 8 % 256, (T, A % 8))
        zeros = ctx.dm("i32", A // 2048, A // 8 % 256, A % 8)
        ctx.memset(zeros, 0)
        total = flits(ctx.sub, zeros, "i32", 1, A % 8).to_vrf(A % 8)
        s = vector_pass(flits(ctx.main, dm, "i32", T, A % 8)).vector_fxp("AddFxp", total).vector_write_operand(total)
        return s.vector_final().commit((T, A % 8)).to_hbm((T, A))
    return [(running_sum, [("i32", tv.map(T, A))])]


def overlap():
    A = tv.axes(A=262144)

    def at(address):
        @tv.kernel
        def add_and_load(ctx, x, y):
            x_dm = x.to_dm(CLUSTER, A // 1024, A % 1024, 0)
            total = vector_pass(flits(ctx.main, x_dm, "i32", A // 8 % 128, A % 8)).vector_fxp("AddFxp", 1).vector_final().commit(A % 1024, 1 << 16)
            y_dm = y.to_dm(CLUSTER, A // 1024, A % 1024, address)
            return total.to_hbm(A), y_dm.to_hbm(A)
        return add_and_load, [("i32", A)] * 2
    return [at(1 << 14), at(0)]


# The kernel library, for sizes that are known when the program runs.

RNGD = tv.Chip("rngd")


def of_library(kernel, *tensors, chips=1):
    return tv.Kernel(lambda ctx, *t: kernel(ctx, *t), chips, "kernel"), list(tensors)


def rows_of(type, row, column):
    """How matrices are stored in HBM between kernels: row after row, each padded to whole units of 256 bytes."""
    unit = 256 // {"i8": 1, "bf16": 2, "i32": 4}[type]
    return tv.map(row, column.pad(-(-column.size // unit) * unit))


def gemm_any_size():
    out = []
    for m, n, k in [(1, 1, 1), (7, 5, 3), (33, 20, 65), (1, 140, 520), (60, 77, 90)]:
        gemm = tv.kernels.Gemm(RNGD, "i8", m, n, k)
        out.append(of_library(gemm, ("i8", gemm.a_layout), ("i8", gemm.b_layout)))
    return out


def batches_and_chips():
    batched = tv.kernels.Gemm(RNGD, "i8", 20, 33, 64, batch=6)
    out = [of_library(batched, ("i8", batched.a_layout), ("i8", batched.b_layout))]
    for n, k, over in [(256, 64, "n"), (64, 256, "k")]:
        g = tv.kernels.GemmOnChips(RNGD, "i8", 12, n, k, 4, over)
        out.append(of_library(g, ("i8", g.a_layout, g.chip), ("i8", g.b_layout, g.chip), chips=4))
    return out


def rows():
    out = []
    for count, width in [(1, 4096), (100, 1002)]:
        add, norm = tv.kernels.Residual(RNGD, count, width), tv.kernels.RmsNorm(RNGD, count, width, 1e-5)
        token, hidden = tv.axes(Token=count, Hidden=width)
        matrix = ("bf16", rows_of("bf16", token, hidden))
        out.append(of_library(lambda ctx, x, y, w, add=add, norm=norm: norm(ctx, add(ctx, x, y), w), matrix, matrix, ("bf16", rows_of("bf16", one, hidden))))
    softmax = tv.kernels.Softmax(RNGD, 6, 1000)
    return [*out, of_library(softmax, ("bf16", softmax.layout))]


def convolution_layers():
    def conv(*sizes, **how):
        return tv.kernels.Conv2d(RNGD, *sizes, **how)
    layers = [conv(2, 3, 16, 40, 50, 7, 7, stride=2, padding=3), conv(2, 16, 24, 14, 14, 3, 3, padding=1), conv(2, 16, 24, 14, 14, 3, 3, dilation=2, padding=2),
              conv(2, 16, 24, 14, 14, 3, 3, stride=2, dilation=2, padding=2), conv(2, 16, 24, 14, 14, 1, 1, stride=2)]
    out = [of_library(c, ("bf16", c.image_layout), ("bf16", c.filter_layout)) for c in layers]
    first, second = conv(2, 4, 8, 14, 14, 3, 3, padding=1), conv(2, 8, 8, 14, 14, 3, 3, padding=1)
    image, f, g = ("bf16", first.image_layout), ("bf16", first.filter_layout), ("bf16", second.filter_layout)
    return [*out, of_library(first, image, f), of_library(lambda ctx, x, a, b: second(ctx, first(ctx, x, a), b), image, f, g)]


def flash_attention():
    sizes, tokens = tv.kernels.AttentionSizes(4, 2, 32, 200), 150
    attend = tv.kernels.FlashAttention(RNGD, sizes, tokens)

    def prefill(ctx, q, k, v, k_cache, v_cache):
        tv.kernels.append_to_cache(ctx, sizes, k, tokens, k_cache, 0, 0)
        tv.kernels.append_to_cache(ctx, sizes, v, tokens, v_cache, 0, 0)
        return attend(ctx, q, k_cache, v_cache)
    keys, cache = ("bf16", sizes.new_keys_layout(RNGD, tokens)), ("bf16", sizes.cache_layout)
    return [of_library(prefill, ("bf16", attend.layout), keys, keys, cache, cache)]


def decode_with_cache():
    sizes = tv.kernels.AttentionSizes(8, 2, 32, 300, 2)
    keys, cache, query = ("bf16", sizes.new_keys_layout(RNGD, 2)), ("bf16", sizes.cache_layout), ("bf16", sizes.query_layout(RNGD, 2))
    return [of_library(tv.kernels.DecodeAttention(RNGD, sizes, [step + 1, step + 1 if step < 3 else step - 2]), query, keys, keys, cache, cache) for step in range(6)]


def collectives_over_chips():
    out = []
    for chips in (2, 4, 8):
        for count in (1, 32):
            for moves in ("at_once", "rotations"):
                kernel = tv.kernels.AllReduce(RNGD, "bf16", chips, count, 4096, moves)
                R, C = tv.axes(R=count, C=4096)
                out.append(of_library(kernel, ("bf16", rows_of("bf16", R, C), tv.axis("Chips", chips)), chips=chips))
    return out


def mixture_of_experts():
    tokens, width, hidden, experts, k, block = 6, 32, 48, 8, 2, 4
    moe = tv.kernels.MoeFfn(RNGD, tokens, width, hidden, experts, k, block)
    scores = tv.kernels.Gemm(RNGD, "bf16", tokens, experts, width)
    topk, indices = tv.kernels.TopK(RNGD, tokens, experts, k), tv.kernels.BlockIndices(RNGD, tokens, experts, k, block)

    def route(ctx, x, weights, numbers):
        """The routing by itself, to be looked at: the same kernels that the layer calls."""
        expert, weight = topk(ctx, scores(ctx, x, weights), numbers)
        return expert, weight, *indices(ctx, expert, numbers)
    x, router, numbers = ("bf16", moe.rows), ("bf16", moe.router_layout), ("i32", moe.numbers_layout)
    return [of_library(route, x, router, numbers), of_library(moe, x, router, ("bf16", moe.up_layout), ("bf16", moe.down_layout), numbers)]


def gemm_taken_apart():
    I, J, K = tv.axes(I=512, J=2048, K=128)

    def weights_of(ctx, b_dm):
        time = (J % 8, J // 8 % 16)
        return ctx.sub.begin(b_dm).fetch("bf16", time, K).collect((*time, K // 16), K % 16).to_trf(J % 8, (J // 8 % 16, K), "Full")

    def stored(stream, rows, c):
        c_dm = stream.contract(1).accumulate("Interleaved", (rows, J // 8 % 16), J % 8).cast("bf16", (J % 8).pad(16)).commit((rows, J % 128))
        c_dm.copy_to(c.view_mut())

    def step(cluster, slice, rows, reused):
        """A grid of slices; `reused`: a packet of A is fetched once, and multiplied with all sixteen groups of columns while it is there."""
        def product(ctx, a, b, c):
            a_dm, b_dm = a.to_dm(cluster, slice, (rows, K)), b.to_dm(cluster, slice, (J % 128, K))
            weights, groups = weights_of(ctx, b_dm), J // 8 % 16
            if reused:
                s = ctx.main.begin(a_dm).fetch("bf16", rows, K).collect((rows, K // 16), K % 16).align(weights, (rows, K // 32, groups), K % 32)
            else:
                s = ctx.main.begin(a_dm).fetch("bf16", (rows, groups), K).collect((rows, groups, K // 16), K % 16).align(weights, (rows, groups, K // 32), K % 32)
            stored(s, rows, c)
        return tv.kernel(product), [("bf16", tv.map(I, K)), ("bf16", tv.map(J, K)), ("bf16", tv.map(I, J))]
    one_cluster = (one.pad(2), tv.map(I // 32, J // 128), I % 32)
    both_clusters = (I // 256, tv.map(I // 16 % 16, J // 128), I % 16)

    def in_rings(ring):
        """Shares of A go round rings of slices; N is counted by tiles, slices of a ring and columns of a slice."""
        T, S, O = tv.axes(T=2048 // (16 * ring), S=ring, O=16)
        groups, of_group = 256 // ring, ring
        cluster, group, slice = I // 256, I // of_group % groups, tv.map(I // of_group % groups, S)
        turns, near, of_near = I % of_group, 8, of_group // 8

        def load(b, t):
            return b.tile(T, 1, t).to_dm(cluster, slice, (O, K))

        def product(ctx, a, b, c):
            following = load(b, 0)
            rows = a.to_dm(cluster, (group, turns), K)
            for t in range(T.size):
                with ctx.region("tile", t):
                    time = (O % 8, O // 8, K // 16)
                    weights = ctx.sub.begin(following).fetch("bf16", time, K % 16).collect(time, K % 16).to_trf(O % 8, (O // 8, K), ("FirstHalf", "SecondHalf")[t % 2])
                    if t + 1 < T.size:
                        following = load(b, t + 1)
                    s = ctx.main.begin(rows).fetch("bf16", K // 32, K % 32)
                    s = s.switch_to(tv.SwitchConfig.Broadcast01(slice1=ring, slice0=1, time0=4), slice, (turns, K // 32)).collect((turns, K // 16), K % 16)
                    s = s.align(weights, (turns, K // 32, O // 8), K % 32).contract(1).accumulate("Interleaved", (turns, O // 8), O % 8)
                    done = s.cast("bf16", (O % 8).pad(16)).commit((turns, O))
                    # Neighbouring slices exchange columns for rows, so that each writes whole units of HBM.
                    s = ctx.main.begin(done).fetch("bf16", (I % of_near, I // of_near % near), O)
                    s = s.switch_to(tv.SwitchConfig.InterTranspose(slice1=near, slice0=1, time0=1), (group, S // near, I // of_near % near), (I % of_near, S % near))
                    s.collect((I % of_near, S % near), O).commit((I % of_near, S % near, O)).copy_to(c.view_mut().tile(T, 1, t))
        return tv.kernel(product), [("bf16", tv.map(I, K)), ("bf16", tv.map(T, S, O, K)), ("bf16", tv.map(I, T, S, O))]
    gemm = tv.kernels.Gemm(RNGD, "bf16", 512, 2048, 128)
    return [step(*one_cluster, False), step(*both_clusters, False), step(*both_clusters, True), in_rings(128), in_rings(64),
            of_library(gemm, ("bf16", gemm.a_layout), ("bf16", gemm.b_layout))]


def norm_and_projection():
    H, N = tv.axes(H=512, N=256)
    parts, first, each, number = (H // 8).pad(256), one.pad(256), tv.map(256), one.pad(8)

    def four(stream):
        return stream.vector_split(H // 4 % 2, H % 4)

    def summed(stream):
        return stream.vector_intra_slice_reduce(H, "Add", 1, one.pad(4)).vector_pad_way8(number).vector_final().commit(number)

    def normalised(ctx, x_hbm, gain):
        x = x_hbm.to_dm(CLUSTER, parts, H % 8)
        squares = summed(four(vector_pass(flits(ctx.main, x, "f32", 1, H % 8))).vector_fp_binary_with_mode("MulF0", "Mode00"))
        gathered = ctx.main.begin(squares).fetch("f32", 1, number).switch_to(tv.SwitchConfig.Broadcast1(slice1=64, slice0=1), first, H // 8)
        total = summed(vector_pass(gathered.collect(H // 8, number)).vector_trim_way4(one.pad(4)))
        s = vector_pass(flits(ctx.sub, total, "f32", 1, number)).vector_trim_way4(one.pad(4)).vector_fp_ternary("FmaF", 1 / 512, float(np.float32(1e-5)))
        scale = s.vector_fp_unary("Sqrt").vector_fp_div_with_mode("DivF", "Mode10", 1.0).vector_pad_way8(number).vector_final().commit(number)
        kept = flits(ctx.sub, scale.to_dm(CLUSTER, each, number), "f32", 1, number).to_vrf(number)
        gains = flits(ctx.sub, gain.to_dm(CLUSTER, parts, H % 8), "f32", 1, H % 8).to_vrf(H % 8)
        s = four(vector_pass(flits(ctx.main, x, "f32", 1, H % 8))).vector_fp_binary("MulF0", kept).vector_fp_binary("MulF1", gains)
        return s.vector_concat(1, H % 8).vector_final().cast("bf16", (H % 8).pad(16)).commit(H % 8)

    def scaled(ctx, weights, scales, scales_first):
        w = None if scales_first else weights.to_dm(CLUSTER, N, H)
        kept = flits(ctx.sub, scales.to_dm(CLUSTER, N, H // 32), "f32", H // 256, H // 32 % 8).to_vrf(H // 32)
        w = weights.to_dm(CLUSTER, N, H) if w is None else w
        s = vector_pass(flits(ctx.sub, w, "f32", H // 8, H % 8)).vector_split(H // 4, H % 4).vector_fp_binary("MulF0", kept)
        return s.vector_concat(H // 8, H % 8).vector_final().cast("bf16", (H % 8).pad(16)).commit(H)

    def project(scales_first):
        @tv.kernel
        def project(ctx, x, gain, weights, scales):
            w = scaled(ctx, weights, scales, scales_first)
            token = normalised(ctx, x, gain).to_dm(CLUSTER, each, H).relabel(H, cluster=CLUSTER, slice=N)
            held = flits(ctx.sub, token, "bf16", H // 16, H % 16).to_trf(1, H, "Full")
            s = flits(ctx.main, w, "bf16", H // 16, H % 16).align(held, H // 32, H % 32).contract(1).accumulate("Interleaved", 1, number)
            return s.commit(number).to_hbm(N)
        return project, [("bf16", H), ("bf16", H), ("f8e4m3", tv.map(N, H)), ("f32", tv.map(N, H // 32))]
    # The C++ program has it twice: with types, and with values, where the scales are loaded first.
    return [project(False), project(True)]



def write_checkpoint(folder):
    """A small model with random weights, in the published form: a header of JSON, then the numbers."""
    words, hidden, ffn, heads, kv_heads, head = 96, 64, 96, 4, 2, 16
    random, tensors = tv.Random(30), {}

    def make(name, rows, columns, around):
        numbers = [around + random.between(-1000, 1000) / 4000 for _ in range(rows * columns)]
        tensors[name + ".weight"] = tv.bits_of(tv.astype(np.array(numbers), "bf16"), "bf16").astype("<u2").reshape((columns,) if rows == 1 else (rows, columns))
    make("model.embed_tokens", words, hidden, 0)
    for norm in ("input_layernorm", "post_attention_layernorm"):
        make(f"model.layers.0.{norm}", 1, hidden, 1)
    for name, rows, columns in [("self_attn.q_proj", heads * head, hidden), ("self_attn.k_proj", kv_heads * head, hidden), ("self_attn.v_proj", kv_heads * head, hidden),
                                ("self_attn.o_proj", hidden, heads * head), ("mlp.gate_proj", ffn, hidden), ("mlp.up_proj", ffn, hidden), ("mlp.down_proj", hidden, ffn)]:
        make(f"model.layers.0.{name}", rows, columns, 0)
    make("model.norm", 1, hidden, 1)
    make("lm_head", words, hidden, 0)

    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "BF16", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + b"".join(t.tobytes() for t in tensors.values()))
    (folder / "config.json").write_text(json.dumps({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "vocab_size": words, "hidden_size": hidden, "intermediate_size": ffn,
        "num_hidden_layers": 1, "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": head, "max_position_embeddings": 64, "rms_norm_eps": 1e-05,
        "rope_theta": 500000.0, "tie_word_embeddings": False, "eos_token_id": 95}))


def llama(folder, **how):
    """A language model from its files to its tokens; `how`: of the context. Prints what the C++ program prints but for the comparison with a host."""
    write_checkpoint(folder)
    prompt, said = [3, 14, 15, 92, 65], []

    def show(what, ids):
        said.append(what + "".join(f" {i:2}" for i in ids))
    with tv.Context(**how) as ctx:
        model = tv.kernels.Llama(ctx, str(folder), context=24)
        said.append(f"{model.config['parameters']} numbers in 12 tensors")
        show("prompt: ", prompt)
        answer = model.generate(prompt, most=6)
        show("answer: ", answer)
        logits = model.prefill(prompt + answer[:-1])
        said.append(f"the last one, all others prefilled at once: {np.argmax(logits)}")
        show("sampled:", model.generate(prompt, most=6, temperature=0.8, top_k=20, top_p=0.9, seed=7, stop_ids=[]))
    return said, logits


LESSONS = {
    "01_first_program": first_program, "02_constant_addition": constant_addition, "03_elementwise_multiplication": elementwise_multiplication,
    "04_dot_product": dot_product, "05_gemv": gemv, "06_gemm": gemm, "07_tiling": tiling, "08_relu_and_pipelines": relu_and_pipelines, "09_two_groups": two_groups,
    "10_softmax": softmax, "11_padded_reduction": padded_reduction, "12_layer_normalisation": layer_normalisation, "13_convolution": convolution,
    "14_collectives": collectives, "15_padding_and_segments": padding_and_segments, "16_branches_and_filter": branches_and_filter, "17_embedding": embedding,
    "18_quantised": quantised, "19_switch_and_transpose": switch_and_transpose, "20_prefix_sums": prefix_sums, "21_overlap": overlap, "22_gemm_any_size": gemm_any_size,
    "23_batches_and_chips": batches_and_chips, "24_rows": rows, "25_convolution_layers": convolution_layers, "26_flash_attention": flash_attention,
    "27_decode_with_cache": decode_with_cache, "28_collectives_over_chips": collectives_over_chips, "29_mixture_of_experts": mixture_of_experts,
    "31_gemm_taken_apart": gemm_taken_apart, "32_norm_and_projection": norm_and_projection,
}
