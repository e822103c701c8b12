#!/usr/bin/env python3
"""Writes data/*.npy with NumPy itself: what base/npy.cpp is checked against. Run once; the files are committed.

Element i of an array holds i - 2 (unsigned types: i; bool: i % 3 == 0), so that tests can say what they expect without the files.
"""
import pathlib

import numpy

data = pathlib.Path(__file__).parent / "data"


def values(dtype, shape):
    count = int(numpy.prod(shape))
    numbers = numpy.arange(count)
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        numbers = numbers % 3 == 0
    elif kind != "u":
        numbers = numbers - 2
    return numbers.astype(dtype).reshape(shape)


def save(name, array, version=None):
    with open(data / f"{name}.npy", "wb") as file:
        numpy.lib.format.write_array(file, array, version=version)


def main():
    data.mkdir(exist_ok=True)
    names = {
        "f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "|i1",
        "u64": "<u8", "u32": "<u4", "u16": "<u2", "u8": "|u1", "bool": "|b1",
    }
    for name, dtype in names.items():
        array = values(dtype, (2, 3, 2))
        save(f"{name}_c", array)
        save(f"{name}_fortran", numpy.asfortranarray(array))
    save("scalar", values("<f4", ()))
    save("one_dimension", values("<f4", (5,)))
    save("empty", values("<f4", (3, 0, 2)))
    save("empty_fortran", numpy.asfortranarray(values("<f4", (3, 0, 2))))
    save("version_2", values("<f4", (2, 3)), version=(2, 0))
    save("version_3", values("<f4", (2, 3)), version=(3, 0))
    save("special_f32", numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0, 1e-45], dtype="<f4"))
    save("big_endian", values(">f4", (2, 3)))
    save("complex", values("<f4", (4,)).astype("<c8"))
    save("text", numpy.array(["a", "bc"]))
    save("structured", numpy.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]))
    save("void", numpy.zeros(2, dtype="V2"))
    numpy.save(data / "objects.npy", numpy.array([None, 1], dtype=object), allow_pickle=True)
    numpy.savez(data / "archive.npz", a=values("<f4", (2,)))


if __name__ == "__main__":
    main()
