"""Plans, reports, traces, dumps, text form and Rust from Python, and what notebooks show of them."""
import os
import pathlib

import numpy as np
import pytest
import tcp_visa as tv

FILES = pathlib.Path(os.environ["TCP_SOURCE"]) / "tests" / "golden" / "files"
X = np.arange(2048, dtype=np.int32)


@tv.kernel
def add_one(ctx, x: "A"):
    dm = x.to_dm(cluster="1 # 2", slice="A / 8 # 256", element="A % 8")
    with ctx.region("all", 0):
        y = (ctx.main.begin(dm).fetch("i32", 1, "A % 8").collect(1, "A % 8").vector_init().vector_intra_slice_branch("Unconditional")
             .vector_fxp("AddFxp", 1).vector_final().commit("A % 8"))
    return y.to_hbm("A")


def test_a_recording_has_text_cycles_and_a_trace():
    r = add_one.record(X)
    assert r.text.startswith("module add_one\n") and ".vector_fxp(AddFxp, 1)" in r.text
    cycles = {model: r.cycles(model) for model in ("book", "planned", "calibrated", "detailed")}
    assert all(c > 0 for c in cycles.values()) and cycles["book"] == add_one.cycles(X) == r.trace().cycles
    t = r.trace("planned")
    assert (t.program, t.model, t.chip, len(t)) == ("add_one", "planned", "rngd", 3)
    mine = [c for c in t.commands if c["resource"]]
    assert all(c["file"] == __file__ for c in mine) and any("to_dm" in c["text"] for c in mine) and t.dict["program"] == "add_one"


def test_a_run_on_the_device_leaves_the_same_cycles():
    with tv.Context("device", model="planned") as ctx:
        add_one(X)
        add_one(X)
        first, second = ctx.traces()
    assert first.cycles == second.cycles == add_one.cycles(X, model="planned") and first.hash == second.hash


def test_a_plan_computes_nothing():
    with tv.Context("plan") as ctx:
        assert not add_one(X).any()
        assert ctx.traces()[0].cycles == add_one.cycles(X)


def test_reports_and_comparisons(tmp_path):
    t = add_one.trace(X)
    report = t.report()
    assert f"{t.cycles:,}".replace(",", "") in str(report).replace(",", "") and report.dict["program"] == "add_one" and "<pre" in report._repr_html_()
    assert report.cycles == t.cycles and "What would help" in t.report(what_if=True).text() or True
    t.save(tmp_path / "a.json")
    again = tv.read_trace(tmp_path / "a.json")
    assert again == t and again.hash == t.hash
    d = tv.diff(t, add_one.trace(X, model="planned"))
    assert d.before == t.cycles and d.verdict and "<pre" in d._repr_html_() and d.dict["before"] == t.cycles
    assert t.perfetto.startswith(b"{") or t.perfetto.startswith(b"[")


def test_notebooks_show_schedules_and_the_viewer(tmp_path):
    t = add_one.trace(X)
    assert t.svg().count("<rect") == len(t) and "<svg" in t._repr_html_() and f"{t.cycles:,} cycles" in t._repr_html_()
    page = t.view()
    assert "<iframe" in page._repr_html_() and page.html.count("trace0-head") >= 1
    t.view(before=t).save(tmp_path / "both.html")
    assert "trace1-head" in (tmp_path / "both.html").read_text("utf-8")
    with tv.Context() as ctx:
        assert "<svg" in ctx.tensor(X, "A")._repr_html_()


def test_sweeps_are_tables_and_errors_are_answers():
    def cycles(bytes):
        return tv.parse(f"""module copy axes R = 64, B = 8192
argument hbm x: i8 Element[R, B]  result hbm y: i8 Element[R, B]
dm d: i8 Cluster[1 # 2] Slice[B / {bytes} # 256] Element[R, B % {bytes}]
move x -> d  move d -> y
""").cycles()
    table = tv.sweep(cycles, bytes=[16, 32, 64, 256])
    assert table["cycles"] == [None, 141646, 73346, 9192]  # as docs/generating.md has them
    assert table[0]["error"] == "mapping-pad-below-size" and table.best()["bytes"] == 256 and table.sorted()[0]["bytes"] == 256
    assert tv.sweep(lambda n, by, how: n * by, n=[1, 2], by=3, how="all")["cycles"] == [3, 6]  # what is no list stands for itself
    assert "141,646" in repr(table) and "<td>9,192</td>" in table._repr_html_() and len(table) == 4
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = table.plot("bytes")
    assert ax.get_xlabel() == "bytes" and len(ax.lines[0].get_xdata()) == 3


def test_the_text_form_runs_on_arrays():
    module = tv.load(FILES / "gemm.tcp")
    assert len(module) == 1
    gemm = module[module.names[0]]
    rng = np.random.default_rng(0)
    arrays = {n: tv.from_bits(tv.Random(i)._bits(t, int(np.prod(list(a.values())))).reshape(list(a.values())), t) for i, (n, (t, a)) in enumerate(gemm.arguments.items())}
    results = {b: gemm(**arrays, backend=b) for b in ("vector", "reference", "device")}
    assert np.array_equal(results["vector"], results["reference"]) and np.array_equal(results["vector"], results["device"])
    assert gemm.last_trace.cycles == gemm.cycles() and tv.parse(gemm.text).same_program(gemm) and "begin" in gemm.cpp
    assert rng is not None and repr(gemm).startswith("<module ")
    with pytest.raises(tv.Error, match="reshape or transpose it to"):
        gemm(*(a[..., :1] for a in arrays.values()))
    with pytest.raises(tv.Error, match="lacks its argument"):
        gemm()


def test_rust_kernels_run_on_arrays():
    crate = tv.load(FILES / "relu.rs")
    assert len(crate) >= 1
    for name in crate:
        kernel = crate[name]
        arrays = [tv.from_bits(tv.Random(1)._bits(t, int(np.prod(list(a.values())))).reshape(list(a.values())), t) for t, a in kernel.arguments.values()]
        assert np.array_equal(np.asarray(kernel(*arrays)), np.asarray(kernel(*arrays, backend="device"))) and kernel.cycles("planned") > 0
        assert getattr(crate, name).text == kernel.text
    with pytest.raises(AttributeError, match="there is no kernel nothing"):
        crate.nothing


SCALED = """
axes![A = 2048];
#[device(chip = 1)]
fn scaled(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>, factor: i32, twice: bool) -> HbmTensor<i32, m![1], m![A]> {
    let mut y: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
    for _ in 0..(if twice { 2 } else { 1 }) {
        y = ctx.main.begin(y.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().vector_init()
            .vector_intra_slice_tag(TagMode::Zero).vector_fxp(FxpBinaryOp::MulInt, factor).vector_final().commit();
    }
    y.to_hbm(&mut ctx.tdma)
}
#[device(chip = 1)]
fn added<const N: usize>(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
    let y: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = ctx.main.begin(y.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>()
        .vector_init().vector_intra_slice_tag(TagMode::Zero).vector_fxp(FxpBinaryOp::AddFxp, N as i32).vector_final().commit();
    y.to_hbm(&mut ctx.tdma)
}
"""


def test_numbers_of_rust_kernels_are_given_by_name(tmp_path):
    file = tmp_path / "scaled.rs"
    file.write_text(SCALED, "utf-8")
    x = np.arange(2048, dtype=np.int32)
    scaled = tv.load(file).scaled
    assert scaled.numbers == ["factor", "twice"] and list(scaled.arguments) == ["x"]
    assert np.array_equal(scaled(x), x)  # a number counts as 1, and a bool as false
    assert np.array_equal(scaled(x, factor=3), 3 * x) and np.array_equal(scaled(x=x, factor=3, twice=True), 9 * x)
    assert np.array_equal(tv.load(file, factor=5).scaled(x), 5 * x)
    assert scaled.given(twice=True).cycles() > scaled.cycles() and "factor" not in scaled.given(factor=7).text
    assert "for (std::int64_t" in scaled.given(twice=True).cpp  # its loop is kept
    added = tv.load(file)["added::<40>"]
    assert np.array_equal(added(x), x + 40)
    for call, words in [(lambda: scaled(x, 3), "give numbers by name: factor"), (lambda: scaled.given(facto=3), "no parameter facto"), (lambda: added(x, factor=3), "no argument factor")]:
        with pytest.raises(tv.Error, match=words):
            call()


def test_floats_for_bf16_come_back_as_floats(tmp_path):
    file = tmp_path / "copy.rs"
    file.write_text("""
axes![A = 2048];
#[device(chip = 1)]
fn copy(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![A]>) -> HbmTensor<bf16, m![1], m![A]> {
    let y: DmTensor<bf16, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
    y.to_hbm(&mut ctx.tdma)
}
""", "utf-8")
    copy = tv.load(file).copy
    x = np.arange(2048) / 7
    rounded = tv.astype(x, "bf16")
    assert np.array_equal(copy(x), tv.float32(rounded)) and copy(x).dtype == np.float32 and copy(list(x)).dtype == np.float32
    assert copy(rounded).dtype == rounded.dtype and np.array_equal(tv.bits_of(copy(rounded), "bf16"), tv.bits_of(rounded, "bf16"))


def test_a_file_without_kernels_is_an_error(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("no kernels", "utf-8")
    with pytest.raises(tv.Error, match="notes.txt has no kernel: no function in it is marked"):
        tv.load(file)


def test_mistakes_in_rust_have_their_place(tmp_path):
    file = tmp_path / "bad.rs"
    file.write_text((FILES / "relu.rs").read_text("utf-8").replace(".collect::<", ".colect::<", 1), "utf-8")
    crate = tv.load(file)
    with pytest.raises(tv.Error) as caught:
        for name in crate:
            crate[name]
    assert caught.value.file.endswith("bad.rs") and caught.value.line > 1 and caught.value.code.startswith("rust-")


def test_dumps_of_the_vendor_are_traces():
    schedule = tv.import_dump(FILES / "loads.schedule.json")
    spans = tv.import_dump(FILES / "loads.spans.txt", schedule=schedule)
    assert schedule.imported == "schedule" and spans.imported == "spans" and schedule.cycles > 0
    assert tv.diff(schedule, spans).verdict
    with pytest.raises(tv.Error):
        tv.import_dump(FILES / "relu.rs")
