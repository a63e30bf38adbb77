import fc from 'fast-check'

const surrogates = { from: 0xd800, count: 0x800 }

/**
 * Any code point, for `fc.string({ unit: anyCodePoint })`. The strings are those of the unit `binary` of fast-check, which
 * takes a second of each process for a table of all code points.
 */
export const anyCodePoint = fc.nat(0x10_ffff - surrogates.count).map(
  (n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('is not one code point')
    return point < surrogates.from ? point : point - surrogates.count
  },
)
