import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'
import { decodeExchange, type EncodedExchange } from './encodedExchange.ts'

type PackOwner = { tagId: string; teamId: string }

/** Bodies of one channel are similar: in a pack, a body takes about a tenth of the space that it takes alone. */
const compressInThreadPool = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Packs of at most this many bytes are compressed synchronously: this takes less than 1 ms and costs a fifth of using
 * the thread pool.
 */
const syncCompressLength = 512 * 1024
const compress = async (pack: Uint8Array): Promise<Uint8Array> =>
  pack.length <= syncCompressLength ? zstdCompressSync(pack, fast) : compressInThreadPool(pack, fast)

const scratch = Buffer.allocUnsafeSlow(syncCompressLength)
const lengthBytes = Uint32Array.BYTES_PER_ELEMENT

/** What precedes the exchanges of a pack. `of`: the indexes of the exchanges of each part. `lengths`: of each, in bytes. */
type PackHead = { of: readonly (readonly number[])[]; lengths: readonly number[] }

/** The length of the head, the head as JSON and the exchanges, in a buffer that the next call may overwrite. */
function encodePack(of: PackHead['of'], exchanges: readonly EncodedExchange[]): Buffer {
  const lengths = exchanges.map(({ length }) => length)
  const head = Buffer.from(JSON.stringify({ of, lengths } satisfies PackHead))
  const length = lengths.reduce((sum, each) => sum + each, lengthBytes + head.length)
  const buffer = length > scratch.length ? Buffer.allocUnsafeSlow(length) : scratch
  let at = buffer.writeUInt32LE(head.length)
  for (const piece of [head, ...exchanges]) {
    buffer.set(piece, at)
    at += piece.length
  }
  return buffer.subarray(0, length)
}

function decodePack(pack: Buffer): { of: PackHead['of']; exchanges: EncodedExchange[] } {
  let at = lengthBytes + pack.readUInt32LE()
  const { of, lengths } = JSON.parse(pack.toString('utf8', lengthBytes, at)) as PackHead
  const exchanges = lengths.map((length) => {
    at += length
    return pack.subarray(at - length, at)
  })
  return { of, exchanges }
}

/** Additional authenticated data, so that a sealed event cannot be opened as a pack. */
const packAad = ({ tagId }: PackOwner) => `${tagId} bodies`

/**
 * Seals the exchanges of several attempts with the team's key. Each part belongs to one attempt; parts may share
 * exchanges.
 */
export async function sealPack(
  parts: readonly (readonly EncodedExchange[])[],
  owner: PackOwner,
  keys: Keyring,
): Promise<Uint8Array> {
  const indexes = new Map<EncodedExchange, number>()
  const indexOf = (exchange: EncodedExchange) => {
    const known = indexes.get(exchange)
    if (known !== undefined) return known
    indexes.set(exchange, indexes.size)
    return indexes.size - 1
  }
  const exchangeIndexes = parts.map((part) => part.map(indexOf))
  const packed = await compress(encodePack(exchangeIndexes, [...indexes.keys()]))
  return keys.team(owner.teamId).sealEvent(packed, packAad(owner))
}

async function readPack(sealed: Uint8Array, owner: PackOwner, keys: Keyring) {
  await keys.findTeamKey(owner.teamId, sealed)
  return decodePack(await decompress(keys.team(owner.teamId).openEvent(sealed, packAad(owner))))
}

export async function openPack(sealed: Uint8Array, owner: PackOwner, keys: Keyring): Promise<Exchange[][]> {
  const { of, exchanges } = await readPack(sealed, owner, keys)
  const decoded = exchanges.map(decodeExchange)
  return of.map((part) => part.map((index) => decoded[index]!))
}

/** The pack with some of its parts removed. */
export async function removeParts(
  sealed: Uint8Array,
  removedParts: readonly number[],
  owner: PackOwner,
  keys: Keyring,
): Promise<Uint8Array> {
  const { of, exchanges } = await readPack(sealed, owner, keys)
  const parts = of.map((part, n) => (removedParts.includes(n) ? [] : part.map((index) => exchanges[index]!)))
  return sealPack(parts, owner, keys)
}
