"""Mappings in Python: the algebra is that of C++, and means what NumPy's indexing means."""
import copy
import pickle

import numpy as np
import pytest
import tcp_visa as tv
from hypothesis import given, settings, strategies as st

A, B = tv.axes(A=8, B=512)


def test_operators_and_text_make_the_same_mapping():
    assert tv.Mapping("A / 2 # 8", A=8) == (A // 2).pad(8)
    assert tv.map(B // 64, B % 64) == B
    assert tv.Mapping("B % 64, B / 64", B=512) != B
    assert str(tv.map(A, B) // 8) == str(tv.Mapping("[A, B] / 8", A=8, B=512))
    assert hash(tv.map(B // 64, B % 64)) == hash(B)
    assert repr((A // 2).pad(8)) == "Mapping('A / 2 # 8', A=8)"
    assert eval(repr((A // 2).pad(8)), {"Mapping": tv.Mapping}) == (A // 2).pad(8)
    assert tv.one.pad(2) == tv.Mapping("1 # 2")
    assert (B.pad_zero(600).size, B.resize(3).size, len(B.pad_left(4))) == (600, 3, 516)
    assert tv.map(A, 4).size == 32 and tv.map((A, B)) == tv.map(A, B) and tv.map(A, B).axes == {"A": 8, "B": 512}


def test_positions_hold_elements():
    m = tv.map(A, B.pad(600))
    assert m[0] == {"A": 0, "B": 0} and m[519] is None and m[607] == {"A": 1, "B": 7}
    assert m[-1] is None and m.position(A=1, B=7) == 607 and m.position(A=9) is None
    with pytest.raises(tv.Error, match="write one of A, B"):
        m.position(C=1)
    with pytest.raises(IndexError, match="4800 positions"):
        m[4800]
    got = m.coordinates()
    assert got["A"][607] == 1 and got["B"][607] == 7 and got["A"][519] == -1


def test_mappings_are_pickled_and_copied():
    A, B = tv.axes(A=8, B=512)
    for m in (A, tv.one, tv.map(A, (B // 64).pad(16), B % 64), tv.map(B // 64 % 4).pad_zero(8)):
        assert pickle.loads(pickle.dumps(m)) == m and copy.deepcopy(m) == m


def test_division_is_spelled_as_for_whole_numbers():
    with pytest.raises(TypeError, match=r"write \(A\) // 8"):
        A / 8
    with pytest.raises(TypeError):
        A // "8"


def test_drawings():
    m = (A // 2).pad(8)
    assert "A / 2" in m.factors() and "8 positions" in m.summary() and "0 to 6 by 2" in m.table()
    assert m.svg().count("<svg") == 1 and "<svg" in m._repr_html_() and m._repr_svg_().startswith("<svg")
    levels = tv.Levels(slice=A // 2, element=A % 2)
    assert levels.slice == A // 2 and levels.chip == tv.one and repr(levels) == "Slice[A / 2] Element[A % 2]" and "<svg" in levels._repr_html_()
    assert tv.Levels(slice=A // 2, element=A % 2) == levels


def test_windows_and_tiles():
    w, f = tv.axes(W=4, F=3)
    assert tv.slide((w, 2), f) == tv.Mapping("$(W:2, F)", W=4, F=3)
    mapping, offset = tv.tile(tv.map(A, B), B // 32, 2, 3)
    assert str(mapping) == "A, B = 64 # 512" and offset == 96
    with pytest.raises(ValueError, match="several elements"):
        tv.slide((w, 2), f).coordinates()


def numpy_of(mapping, sizes):
    """The elements in the order of the positions, by NumPy alone: an array of element numbers, -1 in padding."""
    where = mapping.coordinates()
    out = np.full(mapping.size, -1)
    live = next(iter(where.values())) >= 0
    out[live] = np.ravel_multi_index([where[n][live] for n in sizes], list(sizes.values()))
    return out


sizes = st.fixed_dictionaries({"A": st.sampled_from([2, 4, 6, 12]), "B": st.sampled_from([1, 3, 8]), "C": st.integers(1, 5)})


@settings(max_examples=60, deadline=None)
@given(sizes, st.permutations("ABC"))
def test_an_order_of_axes_is_a_transposition(n, order):
    axes = {k: tv.axis(k, v) for k, v in n.items()}
    m = tv.map(*(axes[k] for k in order))
    plain = np.arange(np.prod(list(n.values()))).reshape(list(n.values()))
    live = {k: v for k, v in n.items() if k in m.axes}
    if not live:
        return
    want = plain.transpose(["ABC".index(k) for k in order]).reshape(-1)
    assert np.array_equal(numpy_of(m, {k: n[k] for k in n if k in m.axes}), want)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 9))
def test_blocks_and_padding_are_reshape_and_pad(blocks, size, more):
    a = tv.axis("A", blocks * size)
    both = tv.map(a % size, a // size)
    numbers = np.arange(blocks * size)
    if "A" in both.axes:
        assert np.array_equal(numpy_of(both, {"A": blocks * size}), numbers.reshape(blocks, size).T.reshape(-1))
        assert np.array_equal(numpy_of(a.pad(blocks * size + more), {"A": blocks * size}), np.pad(numbers, (0, more), constant_values=-1))
        assert np.array_equal(numpy_of(a.resize(size), {"A": blocks * size}), numbers[:size]) if "A" in a.resize(size).axes else True
    assert tv.map(a // size, a % size) == a


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 64), st.integers(1, 64))
def test_a_mapping_is_read_back_or_is_an_error_with_a_code(size, n):
    a = tv.axis("A", size)
    try:
        m = a // n
    except tv.Error as e:
        assert size % n and e.code.startswith("mapping-") and e.help
        return
    assert tv.Mapping(str(m), A=size) == m


@pytest.mark.parametrize("make, code, what", [
    (lambda: A.pad(4), "mapping-pad-below-size", "A # 4: there are 8 positions already"),
    (lambda: tv.Mapping("A /", A=8), "mapping-text-syntax", "at column 4: a whole number is needed, but the text ends"),
    (lambda: tv.Mapping("Z", A=8), "mapping-text-unknown-axis", "there is no axis Z; declared are A"),
    (lambda: tv.axis("a", 8), "mapping-axis-name", None),
    (lambda: tv.axis("A", 0), "mapping-axis-size", None),
])
def test_errors_are_pinned(make, code, what):
    with pytest.raises(tv.Error) as caught:
        make()
    e = caught.value
    assert e.code == code and (what is None or e.what == what)
    assert isinstance(e, ValueError) and f"error[{code}]" in str(e) and e.note and e.help
    assert e.file == __file__ and e.line > 100
    assert f"# {code}" in tv.explain(e) and tv.explain(code) == tv.explain(e)


def test_explain_knows_near_codes_and_findings():
    with pytest.raises(KeyError, match="did you mean mapping-pad-below-size"):
        tv.explain("mapping-pad-below-sise")
    assert tv.explain("mapping-pad-below-size")._repr_markdown_().startswith("# mapping-pad-below-size")
