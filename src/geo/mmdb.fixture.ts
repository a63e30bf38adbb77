/** For each bit: the index of the next node, or -1 - the offset of the row in the data section. */
type Node = Record<string, number>

/**
 * Writes small MaxMind DB files for tests (https://maxmind.github.io/MaxMind-DB/): 24-bit records, one path in the tree
 * for each address; maps, strings, arrays and unsigned integers.
 */
export function mmdb(rows: readonly { bits: string; row: unknown }[], ipVersion: 4 | 6): Buffer {
  const nodes: Node[] = [{}]
  const data = rows.map(({ row }) => encode(row))
  for (const [at, { bits }] of rows.entries()) {
    let node = nodes[0]!
    for (const bit of bits.slice(0, -1)) {
      node[bit] ??= nodes.push({}) - 1
      node = nodes[node[bit]]!
    }
    node[bits.at(-1)!] = -1 - data.slice(0, at).reduce((bytes, each) => bytes + each.length, 0)
  }
  const tree = nodes.map((node) => {
    const bytes = Buffer.alloc(6)
    for (const at of [0, 1]) {
      const record = node[at] ?? nodes.length
      bytes.writeUIntBE(record >= 0 ? record : nodes.length + 16 - 1 - record, at * 3, 3)
    }
    return bytes
  })
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test',
    description: {},
    ip_version: ipVersion,
    languages: [],
    node_count: nodes.length,
    record_size: 24,
  }
  return Buffer.concat([
    ...tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ])
}

function encode(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([head(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value as object)
  return Buffer.concat([head(7, entries.length), ...entries.flat().map(encode)])
}

/** The control byte: the type in three bits, the size (below 29) in five. Types above 7 have a second byte. */
const head = (type: number, size: number) => Buffer.from(type > 7 ? [size, type - 7] : [(type << 5) | size])
