"""Kernels in Python: launches on every backend, arrays in and out, the kernel library, and errors with their place."""
import ctypes
import os
import threading
import time

import numpy as np
import pytest
import tcp_visa as tv
from hypothesis import given, settings, strategies as st

BACKENDS = ["vector", "reference", "device"]


@tv.kernel
def add_one(ctx, x: "A"):
    dm = x.to_dm(cluster="1 # 2", slice="A / 8 # 256", element="A % 8")
    y = (ctx.main.begin(dm).fetch("i32", time=1, packet="A % 8").collect(time=1, packet="A % 8").vector_init().vector_intra_slice_branch("Unconditional")
         .vector_fxp("AddFxp", 1).vector_final().commit("A % 8"))
    return y.to_hbm("A")


X = np.arange(2048, dtype=np.int32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_in_arrays_out(backend):
    with tv.Context(backend) as ctx:
        y = add_one(X)
        assert isinstance(y, np.ndarray) and y.dtype == np.int32 and np.array_equal(y, X + 1)
        assert len(ctx.traces()) == (1 if backend == "device" else 0)
        t = ctx.tensor(X, "A")
        out = add_one(t)
        assert isinstance(out, tv.Tensor) and out.shape == (2048,) and out.dtype == np.int32 and np.array_equal(np.asarray(out), X + 1)
        assert np.array_equal(add_one(add_one(ctx, t)).numpy(), X + 2)
        launched = add_one.launch(t)
        assert np.array_equal(launched.get().numpy(), X + 1) and launched.done


def test_the_context_is_implicit_and_gives_way():
    assert np.array_equal(add_one(X), X + 1)
    with tv.Context("reference") as ctx:
        assert tv.context() is ctx
        with pytest.raises(tv.Error) as caught:
            tv.Context(wait=False)
        assert caught.value.code == "runtime-device-in-use"
    assert np.array_equal(add_one(X), X + 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_prepared_kernels_keep_their_plan(backend):
    with tv.Context(backend) as ctx:
        ready = add_one.prepare(X)
        assert np.array_equal(ready(X), X + 1) and np.array_equal(ready(X * 3), X * 3 + 1)
        of_tensors = add_one.prepare(ctx.tensor(X, "A"))
        assert np.array_equal(of_tensors(of_tensors(ctx.tensor(X, "A"))).numpy(), X + 2)
        with pytest.raises(ValueError, match="another type or layout"):
            of_tensors(ctx.tensor(X[:1024], "A"))
        with pytest.raises(tv.Error, match="prepared with 1 tensors, and 2 are given"):
            of_tensors(ctx.tensor(X, "A"), ctx.tensor(X, "A"))


def test_tensors_belong_to_their_context():
    with tv.Context() as ctx:
        t = ctx.tensor(X, "A")
    assert np.array_equal(t.numpy(), X)
    with tv.Context() as ctx:
        with pytest.raises(tv.Error, match="a tensor of another context") as caught:
            add_one(t)
        assert caught.value.code == "python-argument" and caught.value.file == __file__ and "ctx.tensor(x.numpy()" in caught.value.help
        assert np.array_equal(add_one(ctx.tensor(t.numpy(), "A")).numpy(), X + 1)


def test_threads_that_wait_for_each_other_are_told():
    assert np.array_equal(add_one(X), X + 1)  # this thread has the device now
    said = []

    def other():
        try:
            add_one(X)
        except tv.Error as e:
            said.append((e.code, e.help))
    thread = threading.Thread(target=other)
    thread.start()
    thread.join(60)
    assert said and said[0][0] == "runtime-device-in-use" and "tv.context().close()" in said[0][1]
    tv.context().close()
    thread = threading.Thread(target=lambda: (said.append(add_one(X)), tv.context().close()))
    thread.start()
    thread.join(60)
    assert np.array_equal(said[1], X + 1)


def test_several_results_and_kernels_in_kernels():
    @tv.kernel
    def both(ctx, x: "A"):
        once = add_one(ctx, x)
        return {"once": once, "twice": add_one(ctx, once)}
    made = both(X)
    assert np.array_equal(made["once"], X + 1) and np.array_equal(made["twice"], X + 2)


def test_transposed_arrays_are_read_in_place():
    rows = np.arange(64 * 32, dtype=np.int32).reshape(64, 32)
    with tv.Context() as ctx:
        for x in (rows, rows.T, rows[::2], rows.T[::2, ::4], rows[::-1], rows.reshape(4, 16, 32).transpose(2, 0, 1)):
            names = "A, B, C"[:3 * x.ndim - 2]
            t = ctx.tensor(x, names)
            assert np.array_equal(t.numpy(), x) and np.array_equal(t.numpy(", ".join(reversed(names.split(", ")))), x.transpose())
        t = ctx.tensor(rows, "A, B", layout="B, A # 80")
        assert str(t.element) == "B, A # 80" and np.array_equal(t.numpy("A, B"), rows) and np.array_equal(t.numpy(), rows.T)


@pytest.mark.parametrize("name", ["i4", "i8", "i16", "i32", "f4e2m1", "f8e4m3", "f8e5m2", "f16", "bf16", "f32"])
def test_every_type_goes_up_and_down(name):
    bits = np.arange(256, dtype=np.uint32) & ((1 << dict((n, b) for n, b, *_ in tv._tcp.scalar_types)[name]) - 1)
    x = tv.from_bits(bits.reshape(16, 16), name)
    assert x.dtype == tv.dtype(name) and np.array_equal(tv.bits_of(x, name), bits.reshape(16, 16))
    with tv.Context() as ctx:
        t = ctx.tensor(x, "A, B")
        assert t.type == name and np.array_equal(tv.bits_of(t.numpy(), name), bits.reshape(16, 16))


def test_numbers_of_small_types():
    x = np.array([1.0, 1.00390625, 1.01171875, -2.5, np.inf, 3e38])
    bf = tv.astype(x, "bf16")
    assert tv.bits_of(bf, "bf16").tolist() == [0x3F80, 0x3F80, 0x3F82, 0xC020, 0x7F80, 0x7F62]
    assert tv.float32(bf).tolist()[:4] == [1.0, 1.0, 1.015625, -2.5]
    assert tv.float32(tv.astype([-8, 7], "i4")).tolist() == [-8, 7]
    # Rounded once: by way of f32 this would be a tie, and round to even.
    assert tv.bits_of(tv.astype(np.array([1 + 2**-8 + 2**-40]), "bf16"), "bf16").tolist() == [0x3F81]
    with pytest.raises(tv.Error, match="np.clip") as caught:
        tv.astype([8], "i4")
    assert caught.value.code == "dsl-host-value"


def test_types_that_the_chip_lacks_are_errors_at_once():
    with tv.Context() as ctx:
        with pytest.raises(tv.Error, match=r"x.astype\(np.float32\)"):
            ctx.tensor(np.zeros(8), "A")
        assert ctx.tensor(np.zeros(8), "A", dtype="bf16").type == "bf16"
        with pytest.raises(tv.Error, match="names 2 axes"):
            ctx.tensor(np.zeros(8, np.float32), "A, B")
        with pytest.raises(tv.Error, match='ctx.tensor\\(x, "A"\\)'):
            ctx.tensor(np.zeros(8, np.float32))


def test_arrays_need_names():
    @tv.kernel
    def nameless(ctx, x):
        return x
    with pytest.raises(tv.Error, match='def nameless\\(ctx, x: "A"\\)') as caught:
        nameless(X)
    assert caught.value.file == __file__


def test_dlpack():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.array_equal(tv.from_dlpack(x), x) and tv.from_dlpack(x).ctypes.data == x.ctypes.data
    assert np.array_equal(tv.from_dlpack(x.T), x.T)

    class Foreign:
        """What torch gives: a tensor of bf16, which NumPy's own reader refuses."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return tv.to_dlpack(self.array)

        def __dlpack_device__(self):
            return (1, 0)
    bf = tv.astype(x, "bf16")
    back = tv.from_dlpack(Foreign(bf))
    assert back.dtype == tv.dtype("bf16") and np.array_equal(tv.float32(back), x) and back.ctypes.data == bf.ctypes.data
    with tv.Context() as ctx:
        t = ctx.tensor(Foreign(bf), "A, B")
        assert t.type == "bf16" and np.array_equal(tv.float32(np.asarray(t)), x)
        assert np.array_equal(np.from_dlpack(ctx.tensor(x, "A, B")), x)
    del back
    held = tv.to_dlpack(x)
    assert len(tv._types._exported) == 1
    del held
    assert not tv._types._exported
    with pytest.raises(tv.Error, match="DLPack has no type for i4"):
        tv.to_dlpack(tv.astype([1], "i4"))
    assert ctypes.sizeof(tv._types._DLTensor) == 48


def test_ml_dtypes_stand_in(monkeypatch):
    """With ml_dtypes its types are used: here by a module of the same names."""
    import types
    bf = np.dtype([("bfloat16", "<u2")])
    monkeypatch.setattr(tv._types, "ml_dtypes", types.SimpleNamespace(bfloat16=bf))
    assert tv.dtype("bf16") == bf and tv.dtype("f8e4m3").names == ("f8e4m3",)


# Errors.

def line_of(text):
    with open(__file__, encoding="utf-8") as f:
        return next(i for i, line in enumerate(f, 1) if text in line and "line_of" not in line)


def caught_in(body, **context):
    with tv.Context(**context) as ctx:
        with pytest.raises(tv.Error) as caught:
            tv.kernel(body)(ctx.tensor(X, "A"))
    return caught.value


def test_a_stage_out_of_order():
    def early(ctx, x):
        return ctx.main.begin(x.to_dm("1 # 2", "A / 8 # 256", "A % 8")).fetch("i32", 1, "A % 8").vector_init()  # here: order
    e = caught_in(early)
    assert e.code in ("stage-missing", "stage-order") and "collect" in str(e) and (e.file, e.line) == (__file__, line_of("here: order"))


def test_a_packet_that_is_no_flit():
    def narrow(ctx, x):
        dm = x.to_dm("1 # 2", "A / 8 # 256", "A % 8")
        return ctx.main.begin(dm).fetch("i32", 1, "A % 8").collect(1, "A % 4").commit("A % 4")  # here: flit
    e = caught_in(narrow)
    assert e.code.startswith("collect-") and e.line == line_of("here: flit") and e.note


def test_names_that_are_not_there():
    def unknown(ctx, x):
        dm = x.to_dm("1 # 2", "A / 8 # 256", "A % 8")
        s = ctx.main.begin(dm).fetch("i32", 1, "A % 8").collect(1, "A % 8").vector_init().vector_intra_slice_branch("Unconditional")
        return s.vector_fxp("AddFixed", 1)
    e = caught_in(unknown)
    assert tv.explain(e).startswith("# python-unknown-name")
    assert e.code == "python-unknown-name" and "AddFxp" in e.help and "AddFixed" in e.what


def test_axes_that_are_not_there():
    e = caught_in(lambda ctx, x: x.to_dm("1 # 2", "B / 8", "A % 8"))
    assert e.code == "mapping-text-unknown-axis" and "declared are A" in e.what


def test_a_stream_is_used_once():
    def twice(ctx, x):
        s = ctx.main.begin(x.to_dm("1 # 2", "A / 8 # 256", "A % 8")).fetch("i32", 1, "A % 8")
        s.collect(1, "A % 8").commit("A % 8")
        return s.collect(1, "A % 8").commit("A % 8").to_hbm("A")
    assert caught_in(twice).code.startswith("dsl-")


def test_python_exceptions_pass_through():
    @tv.kernel
    def broken(ctx, x: "A"):
        x.to_dm("1 # 2", "A / 8 # 256", "A % 8")
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        broken(X)
    assert np.array_equal(add_one(X), X + 1)


def test_errors_are_pickled_and_the_chip_is_checked():
    import pickle
    with pytest.raises(tv.Error) as caught:
        tv.Chip("no such chip")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, str(again)) == (caught.value.code, str(caught.value))
    assert tv.Chip("rngd").name == "rngd" and tv.Chip("rngd").data["dm"]["banks_per_slice"]["value"] == 16
    assert tv.Chip.from_text(tv.Chip("rngd_s").text).name == "rngd_s"
    with pytest.raises(ValueError, match="reference, vector, device, plan"):
        tv.Context("gpu")


def test_errors_say_what_is_written_in_python():
    with tv.Context("vector"), pytest.raises(tv.Error, match="wait=True") as e:
        tv.Context("vector", wait=False)
    assert e.value.code == "runtime-device-in-use" and "::" not in str(e.value)


@pytest.mark.parametrize("body, words, help", [
    (lambda ctx, x: x.to_dm("1 # 2", slise="A / 8", element="A % 8"), "to_dm does not take these arguments: '1 # 2'; kwargs: slise='A / 8', element='A % 8'",
     "it takes (cluster: MapLike, slice: MapLike, element: MapLike, address: Optional[int] = None)"),
    (lambda ctx, x: x.to_dm("A / 8", "A % 8"), "to_dm does not take these arguments: 'A / 8', 'A % 8'", "it takes (cluster"),
    (lambda ctx, x: _vector(ctx, x).vector_fxp("AddFxp"), "vector_fxp does not take these arguments: 'AddFxp'", "it takes (op: str, a: OperandLike"),
    (lambda ctx, x: tv.kernels.Gemm("rngd", "bf16", 8, 8, 8), "Gemm does not take these arguments: 'rngd', 'bf16', 8, 8, 8", "it takes (chip: Chip"),
])
def test_calls_with_other_arguments_have_their_line(body, words, help):
    e = caught_in(body)
    assert e.code == "python-argument" and e.what == words and e.help.startswith(help) and "_tcp" not in str(e) and " at 0x" not in str(e)
    assert e.file == __file__ and e.line


def test_other_type_errors_are_python_s():
    with tv.Context() as ctx, pytest.raises(TypeError, match="unsupported operand"):
        tv.kernel(lambda c, x: x + "a")(ctx.tensor(X, "A"))


def test_help_is_written_as_in_python():
    def narrow(ctx, x):
        return ctx.main.begin(x.to_dm("1 # 2", "A / 8 # 256", "A % 8")).fetch("i32", 1, "A % 8").collect(1, "A % 4").commit("A % 4")
    e = caught_in(narrow)
    assert 'packet="A % 8"' in e.help and e.help in str(e) and "m![" not in e.help

    def unentered(ctx, x):
        dm = x.to_dm("1 # 2", "A / 8 # 256", "A % 8")
        return ctx.main.begin(dm).fetch("i32", 1, "A % 8").collect(1, "A % 8").vector_init().vector_fxp("AddFxp", 1)
    assert caught_in(unentered).help == 'call vector_intra_slice_branch("Unconditional") first'
    assert tv._errors._help_in_python("write m![[A, B] / 8 # 4]") == 'write "[A, B] / 8 # 4"'


def test_things_say_what_they_are():
    with tv.Context("reference") as ctx:
        assert repr(ctx) == "<context reference on rngd>"
        assert repr(add_one.record(X)) == f"<recording of add_one: {add_one.cycles(X)} cycles by the book>"
        seen = []
        tv.kernel(lambda c, x: (seen.append(repr(s := c.main.begin(x.to_dm("1 # 2", "A / 8", "A % 8")).fetch("i32", 1, "A % 8"))), s.collect(1, "A % 8").commit("A % 8").to_hbm("A"))[1])(ctx.tensor(X, "A"))
        assert seen[0].startswith("<stream of i32 ") and "Packet[A % 8]" in seen[0]
    assert repr(ctx) == "<context, closed>"


def test_sizes_are_whole_numbers():
    for size in (2.5, "8", True):
        with pytest.raises(tv.Error, match="the size of the axis A is a whole number"):
            tv.axes(A=size)
    assert tv.axes(A=np.int64(8)).size == 8


def test_numbers_of_numpy_are_numbers():
    @tv.kernel
    def add(ctx, x: "A", n=1):
        dm = x.to_dm("1 # 2", "A / 8 # 256", "A % 8")
        y = (ctx.main.begin(dm).fetch("i32", 1, "A % 8").collect(1, "A % 8").vector_init().vector_intra_slice_branch("Unconditional")
             .vector_fxp("AddFxp", n).vector_final().commit("A % 8"))
        return y.to_hbm("A")
    x = np.arange(64, dtype=np.int32)
    assert np.array_equal(add(x, np.int32(7)), x + 7) and np.array_equal(add(x, n=np.int64(7)), x + 7)
    with tv.Context() as ctx:
        assert isinstance(add(ctx.tensor(x, "A"), np.int32(1)), tv.Tensor)  # no array was given, and none comes out
    for wrong in (None, 3, "x"):
        with pytest.raises(tv.Error, match="which has the axes A") as caught:
            add(wrong)
        assert caught.value.help == "give an array, or a tensor"


def test_arrays_of_another_byte_order():
    assert np.array_equal(add_one(X.astype(">i4")), X + 1)
    halves = np.arange(4, dtype=">f2")
    assert tv.bits_of(halves, "f16").tolist() == np.arange(4, dtype=np.float16).view(np.uint16).tolist()
    with tv.Context() as ctx:
        assert np.array_equal(ctx.tensor(halves, "A").numpy(), halves)


@pytest.mark.parametrize("call, code, words", [
    (lambda: add_one(X.astype(float)), "python-type", "no type float64"),
    (lambda: add_one([1, 2]), "python-argument", "is given a list for x"),
    (lambda: add_one(X, X), "python-argument", "takes x, and is given 2 arguments"),
    (lambda: add_one(y=X), "python-argument", "has no parameter y"),
    (lambda: stays_in_dm(X), "python-argument", "the tensor is in DM"),
    (lambda: tv.Context("gpu"), "python-unknown-name", "'gpu' is none of the names"),
    (lambda: tv.Context("device", model="fast"), "python-unknown-name", "'fast' is none of the names"),
])
def test_mistakes_of_callers_have_their_line(call, code, words):
    with pytest.raises(tv.Error) as e:
        call()
    assert e.value.code == code and words in e.value.what and e.value.help and e.value.file == __file__ and e.value.line


@pytest.mark.parametrize("call, code, words", [
    (lambda t: tv.context().tensor(np.ma.array(X, mask=X > 3), "A"), "python-argument", "has a mask"),
    (lambda t: add_one(np.int32(3)), "python-argument", "has the shape (), and 'A' names 1 axis"),
    (lambda t: bool(t), "python-argument", "neither true nor false"),
    (lambda t: tv.astype([1.5], "float64"), "python-type", "no type float64"),
    (lambda t: tv.kernels.softmax(np.array([[257, 1]])), "python-type", "not every whole number"),
    (lambda t: tv.kernel(lambda ctx, x: x[0])(t), "python-argument", "has no indices"),
    (lambda t: t.to_dm("1 # 2", "A / 8", "A % 8"), "dsl-outside-kernel", "outside of a kernel"),
    (lambda t: tv.kernel(lambda ctx, x: _vector(ctx, x).vector_fxp("AddFxp", X))(t), "python-argument", "an operand is a number or a tensor in VRF"),
    (lambda t: tv.kernel(lambda ctx, x: _vector(ctx, x, np.float64))(t), "python-type", "no type float64"),
])
def test_what_numpy_users_try(call, code, words):
    with tv.Context() as ctx:
        t = ctx.tensor(X, "A")
        with pytest.raises(tv.Error) as e:
            call(t)
        assert (e.value.code, words in str(e.value)) == (code, True), str(e.value)
        assert e.value.help and "launch(" not in e.value.help


def _vector(ctx, x, type="i32"):
    return (ctx.main.begin(x.to_dm("1 # 2", "A / 8 # 256", "A % 8")).fetch(type, 1, "A % 8").collect(1, "A % 8").vector_init()
            .vector_intra_slice_branch("Unconditional"))


def test_tensors_are_like_arrays():
    with tv.Context() as ctx:
        rows = np.arange(24, dtype=np.int16).reshape(4, 6)
        t = ctx.tensor(rows, "R, C")
        assert (len(t), t.size, t.nbytes, t.ndim) == (4, 24, 48, 2) and t.tolist() == rows.tolist()
        assert np.array_equal(t[1:, ::2], rows[1:, ::2]) and t[3, 5] == 23 and [r.tolist() for r in t] == rows.tolist()
        assert ctx.tensor(np.full(1, 7.5, np.float32), "A").item() == 7.5
        assert tv.kernel(lambda ctx, x: x.to_dm("1 # 2", "R # 256", "C # 8").to_hbm(x.element))(ctx.tensor(rows, "R, C", layout="R, C # 8")).dtype == np.int16
        y = tv.kernel(lambda ctx, x: ctx.main.begin(x.to_dm("1 # 2", "A / 8 # 256", "A % 8")).fetch(np.int32, 1, "A % 8").collect(1, "A % 8")
                      .commit("A % 8").to_hbm("A"))(ctx.tensor(X, "A"))
        assert np.array_equal(y[:], X)
        backwards = np.broadcast_to(np.arange(8, dtype=np.int32)[::-1], (256, 8)).reshape(2048)
        backwards.setflags(write=False)
        assert np.array_equal(add_one(backwards), backwards + 1)


def test_types_have_the_names_of_other_libraries():
    assert tv.astype([1.5], "bfloat16").dtype == tv.dtype("bf16") and tv.astype([1.5], np.float16).dtype == np.float16
    assert tv.astype([3], "int8").dtype == np.int8 and tv.astype([3], np.dtype("int32")).dtype == np.int32


class Lent:
    """A tensor of another library, as torch's are: __dlpack__, and nothing else."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, stream=None):
        return tv.to_dlpack(self.array)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_the_library_takes_tensors_of_others():
    x = tv.astype(np.arange(6).reshape(2, 3), "bf16")
    y = tv.kernels.gemm(Lent(x), Lent(x.T))
    assert y.dtype == tv.dtype("bf16") and np.array_equal(tv.float32(y), tv.float32(x) @ tv.float32(x).T)
    assert np.array_equal(tv.float32(tv.kernels.softmax(Lent(x))), tv.float32(tv.kernels.softmax(x)))
    assert np.array_equal(add_one(Lent(X)), X + 1)
    with pytest.raises(tv.Error, match="x.cpu\\(\\)"):
        add_one(Lent(X, device=2))
    with pytest.raises(tv.Error, match="not every whole number"):
        tv.kernels.gemm(np.array([[257]]), np.array([[1]]))
    assert tv.kernels.gemm(np.array([[256]]), np.array([[2]])).tolist() == [[512.0]]


def test_torch_if_it_is_there():
    torch = pytest.importorskip("torch")
    with tv.Context() as ctx:
        t = ctx.tensor(torch.arange(16).reshape(4, 4).to(torch.bfloat16).T, "A, B")
        assert t.type == "bf16" and np.array_equal(tv.float32(t.numpy()), np.arange(16).reshape(4, 4).T)
        assert torch.from_dlpack(t).dtype == torch.bfloat16 and torch.from_dlpack(t)[1, 0] == 1
        with pytest.raises(tv.Error, match="int64"):
            ctx.tensor(torch.arange(4), "A")


@tv.kernel
def stays_in_dm(ctx, x: "A"):
    return x.to_dm("1 # 2", "A / 8 # 256", "A % 8")


def test_other_threads_run_while_a_kernel_does():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((256, 512), np.float32), rng.standard_normal((512, 256), np.float32)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)
    thread = threading.Thread(target=tick)
    with tv.Context("device"):
        thread.start()
        begin = time.perf_counter()
        tv.kernels.gemm(a, b)
        spent = time.perf_counter() - begin
        stop.set()
        thread.join()
    during = [t for t in ticks if begin <= t <= begin + spent]
    assert spent < 0.01 or len(during) >= spent / 0.1, (len(during), spent)


def test_progress_is_told():
    seen = []
    with tv.Context("device", progress=lambda kernel, done, of: seen.append((kernel, done, of))):
        add_one(X)
    assert seen and seen[-1][0] == "add_one" and seen[-1][1] == seen[-1][2]


# Against NumPy.

@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 30), st.integers(-2**31, 2**31 - 1), st.integers(0, 2**32 - 1))
def test_clip_of_any_shape_is_numpys(rows, pairs, bound, seed):
    """A kernel for any size: rows are dealt out over slices in whole flits of eight."""
    columns = 2 * pairs  # DM is written in 8 bytes
    x = np.random.default_rng(seed).integers(-2**31, 2**31, (rows, columns), dtype=np.int64).astype(np.int32)
    n = rows * columns
    share = -(-n // 256)
    row = -(-share // 8) * 8

    @tv.kernel
    def clipped(ctx, t: "R, C"):
        flat = tv.axis("F", n)
        padded = flat.pad(256 * row)
        dm = t.reshape(flat).to_dm("1 # 2", padded // row, padded % row)
        mine = padded % row
        s = ctx.main.begin(dm).fetch("i32", mine // 8, mine % 8).collect(mine // 8, mine % 8)
        y = s.vector_init().vector_intra_slice_branch("Unconditional").vector_clip("Max", bound).vector_final().commit(mine)
        out = ctx.hbm("i32", t.element)
        y.copy_to(out.reshape(flat))
        return out
    assert np.array_equal(clipped(x).reshape(x.shape), np.maximum(x, np.int32(bound)))


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 70), st.integers(1, 70), st.integers(1, 130), st.integers(0, 2**32 - 1))
def test_integer_products_are_numpys(m, n, k, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-128, 128, (m, k), dtype=np.int8), rng.integers(-128, 128, (k, n), dtype=np.int8)
    assert np.array_equal(tv.kernels.gemm(a, b), a.astype(np.int32) @ b.astype(np.int32))


def test_the_library_is_near_numpy():
    rng = np.random.default_rng(1)
    x = tv.float32(tv.astype(rng.standard_normal((5, 100)), "bf16"))
    w, c = (tv.float32(tv.astype(rng.standard_normal(100), "bf16")) for _ in range(2))

    def close(got, want):
        assert got.shape == np.shape(want) and got.dtype == np.float32
        np.testing.assert_allclose(got, want, rtol=2**-7, atol=2**-8)
    a, b = x, tv.float32(tv.astype(rng.standard_normal((100, 7)), "bf16"))
    got = tv.kernels.gemm(a, b)
    assert got.shape == (5, 7)
    np.testing.assert_allclose(tv.float32(got), a @ b, rtol=2**-7, atol=0.05)
    close(tv.kernels.rms_norm(x, w), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w)
    normal = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(tv.float32(tv.kernels.layer_norm(x, w, c)), normal * w + c, rtol=2**-6, atol=0.03)
    e = np.exp(x - x.max(-1, keepdims=True))
    close(tv.kernels.softmax(x), e / e.sum(-1, keepdims=True))
    silu = x / (1 + np.exp(-x))
    close(tv.kernels.silu(x), silu)
    close(tv.kernels.swiglu(x, x), silu * x)
    close(tv.kernels.geglu(x, x), x * x * 0.5 * (1 + np.vectorize(__import__("math").erf)(x / np.sqrt(2))))
    close(tv.kernels.add(x, x), x + x)
    close(tv.kernels.bias(x, w), x + w)
    close(tv.kernels.gelu(x), x * 0.5 * (1 + np.vectorize(__import__("math").erf)(x / np.sqrt(2))))
    numbers = np.array([[3, 0], [4, 4]])
    assert np.array_equal(tv.kernels.embedding(x, numbers), x[numbers])
    for wrong, words in (([0.5], "whole numbers"), ([0, 5], "the table has 5 rows, and row 5"), ([-1], "and row -1")):
        with pytest.raises(tv.Error, match=words):
            tv.kernels.embedding(x, wrong)
    batch = np.stack([a, a + 1])
    np.testing.assert_allclose(tv.float32(tv.kernels.gemm(batch, np.stack([b, b]))), batch @ b, rtol=2**-7, atol=0.1)
    with pytest.raises(tv.Error, match="as for a @ b"):
        tv.kernels.gemm(a, a)


def test_floats_in_floats_out_and_bf16_in_bf16_out():
    x = np.arange(12, dtype=np.float64).reshape(3, 4) / 4
    rounded = tv.astype(x, "bf16")
    for f in (lambda a: tv.kernels.gemm(a, a.T), tv.kernels.softmax, lambda a: tv.kernels.add(a, a)):
        numbers, own = f(x), f(rounded)
        assert numbers.dtype == np.float32 and own.dtype == tv.dtype("bf16")
        assert np.array_equal(numbers, tv.float32(own))
    assert tv.kernels.softmax([[0.0, 0.0]]).tolist() == [[0.5, 0.5]]
    assert tv.kernels.gemm(x, rounded.T).dtype == tv.dtype("bf16")


@pytest.mark.parametrize("images, channels, filters, rows, columns", [(1, 1, 1, 4, 4), (1, 3, 2, 5, 6), (2, 1, 1, 4, 4), (1, 1, 3, 3, 3), (3, 2, 1, 3, 7), (1, 5, 4, 8, 4)])
def test_convolutions_of_single_images_and_channels(images, channels, filters, rows, columns):
    rng = np.random.default_rng(images + 10 * channels)
    x, w = (rng.integers(-4, 5, s).astype(np.float32) for s in [(images, channels, rows, columns), (filters, channels, 3, 3)])
    want = np.zeros((images, filters, rows - 2, columns - 2), np.float32)
    for i in range(3):
        for j in range(3):
            want += np.einsum("nkhw,ck->nchw", x[:, :, i:i + rows - 2, j:j + columns - 2], w[:, :, i, j])
    np.testing.assert_allclose(tv.kernels.conv2d(x, w), want, rtol=2**-7, atol=0)


def test_convolution_and_attention_are_near_numpy():
    rng = np.random.default_rng(2)
    x, w = (tv.float32(tv.astype(rng.standard_normal(s), "bf16")) for s in [(2, 3, 9, 8), (4, 3, 3, 3)])
    got = tv.float32(tv.kernels.conv2d(x, w, padding=1))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    want = np.zeros((2, 4, 9, 8), np.float32)
    for i in range(3):
        for j in range(3):
            want += np.einsum("nkhw,ck->nchw", padded[:, :, i:i + 9, j:j + 8], w[:, :, i, j])
    np.testing.assert_allclose(got, want, rtol=2**-6, atol=0.1)
    q, k, v = (tv.float32(tv.astype(rng.standard_normal(s), "bf16")) for s in [(16, 4, 64), (16, 2, 64), (16, 2, 64)])
    got = tv.float32(tv.kernels.attention(q, k, v))
    kk, vv = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
    scores = np.einsum("qhd,khd->hqk", q, kk) / 8 + np.triu(np.full((16, 16), -np.inf), 1)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    want = np.einsum("hqk,khd->qhd", p / p.sum(-1, keepdims=True), vv)
    np.testing.assert_allclose(got, want, rtol=0.05, atol=0.05)


def test_random_is_that_of_the_lessons():
    r = tv.Random(2)
    assert [r.between(0, 9) for _ in range(3)] == [tv.Random(2).between(0, 9), *[(q := tv.Random(2)).between(0, 9), q.between(0, 9), q.between(0, 9)][1:]]
    assert tv.from_bits(tv.Random(6)._bits("bf16", 4), "bf16").dtype == tv.dtype("bf16")


def test_the_environment_names_the_backend(monkeypatch):
    monkeypatch.setitem(os.environ, "TCP_BACKEND", "reference")
    with tv.Context() as ctx:
        assert ctx.backend == "reference"
