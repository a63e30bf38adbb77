import type { SqlValue } from './database.ts'

/** The OIDs of the types of elements: https://www.postgresql.org/docs/15/catalog-pg-type.html */
const elementOids = { bool: 16, bytea: 17, int8: 20, int4: 23, text: 25, float8: 701 } as const
export type ElementType = keyof typeof elementOids

const headerBytes = 20
/** A UTF-16 unit has at most three bytes in UTF-8. */
const bytesPerUnit = 3

/** A growing byte buffer. */
function createBytes(capacity: number) {
  let bytes = Buffer.allocUnsafe(capacity)
  let end = 0
  /** Makes room for `count` more bytes. */
  function reserve(count: number): void {
    if (end + count <= bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (end + count))
    bytes.copy(larger, 0, 0, end)
    bytes = larger
  }
  return {
    int32(value: number): void {
      reserve(4)
      end = bytes.writeInt32BE(value, end)
    },
    /** Writes the lowest 64 bits of a bigint. */
    int64(value: number | bigint): void {
      reserve(8)
      if (typeof value === 'bigint') {
        end = bytes.writeBigInt64BE(BigInt.asIntN(64, value), end)
        return
      }
      const high = Math.floor(value / 2 ** 32)
      end = bytes.writeInt32BE(high, end)
      end = bytes.writeUInt32BE(value - high * 2 ** 32, end)
    },
    float64(value: number): void {
      reserve(8)
      end = bytes.writeDoubleBE(value, end)
    },
    byte(value: number): void {
      reserve(1)
      end = bytes.writeUInt8(value, end)
    },
    /** Writes the length and the text, without NUL characters. */
    text(value: string): void {
      const text = value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
      reserve(4 + text.length * bytesPerUnit)
      const length = bytes.write(text, end + 4)
      bytes.writeInt32BE(length, end)
      end += 4 + length
    },
    /** Writes the length and the bytes. */
    bytea(value: Uint8Array): void {
      reserve(4 + value.length)
      end = bytes.writeInt32BE(value.length, end)
      bytes.set(value, end)
      end += value.length
    },
    done: (): Uint8Array => bytes.subarray(0, end),
  }
}

/** How the elements of each type are written, each after its length. */
const writeElement: Record<ElementType, (bytes: ReturnType<typeof createBytes>, value: SqlValue) => void> = {
  bool(bytes, value) {
    bytes.int32(1)
    bytes.byte(value ? 1 : 0)
  },
  int8(bytes, value) {
    bytes.int32(8)
    bytes.int64(typeof value === 'bigint' ? value : Number(value))
  },
  int4(bytes, value) {
    bytes.int32(4)
    bytes.int32(Number(value))
  },
  float8(bytes, value) {
    bytes.int32(8)
    bytes.float64(Number(value))
  },
  text: (bytes, value) => bytes.text(String(value)),
  bytea: (bytes, value) => bytes.bytea(value as Uint8Array),
}

/** The initial space for an element: enough for a short text, or exactly the size of bytes. */
const roomOf = (value: SqlValue) => (value instanceof Uint8Array ? 4 + value.length : 40)

/**
 * An array as a binary parameter, which the server reads in half the time of a text. The statement casts it:
 * `$1::int8[]`. Source: `array_recv` in src/backend/utils/adt/arrayfuncs.c of PostgreSQL.
 */
export function toBinaryArray(type: ElementType, values: readonly SqlValue[]): Uint8Array {
  const bytes = createBytes(values.reduce<number>((room, value) => room + roomOf(value), headerBytes))
  bytes.int32(values.length > 0 ? 1 : 0) // dimensions
  bytes.int32(values.includes(null) ? 1 : 0)
  bytes.int32(elementOids[type])
  if (values.length === 0) return bytes.done()
  bytes.int32(values.length)
  bytes.int32(1) // the index of the first element
  for (const value of values)
    if (value === null) bytes.int32(-1)
    else writeElement[type](bytes, value)
  return bytes.done()
}

/** The columns of rows, each as a binary array of its type. */
export const toBinaryColumns = (rows: readonly (readonly SqlValue[])[], types: readonly ElementType[]): Uint8Array[] =>
  types.map((type, column) => {
    const values = rows.map((row) => row[column]!)
    return toBinaryArray(type, values)
  })

/** Some fields of rows, each as a binary array of its type. */
export const toBinaryFields = <Field extends string>(
  rows: readonly Readonly<Record<NoInfer<Field>, SqlValue>>[],
  types: Readonly<Record<Field, ElementType>>,
): Uint8Array[] =>
  (Object.keys(types) as Field[]).map((field) => {
    const values = rows.map((row) => row[field])
    return toBinaryArray(types[field], values)
  })
