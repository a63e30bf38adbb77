import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'
import { type EncodedExchange, encodeExchange, parseExchanges } from './encodedExchange.ts'

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
const comma = Buffer.from(',')
const end = Buffer.from(']}')

/** JSON of a pack, in a buffer that the next call may overwrite. */
function encodePack(of: readonly (readonly number[])[], exchanges: Iterable<EncodedExchange>): Buffer {
  const pieces: Uint8Array[] = [Buffer.from(`{"of":${JSON.stringify(of)},"exchanges":[`)]
  for (const exchange of exchanges) {
    if (pieces.length > 1) pieces.push(comma)
    pieces.push(exchange)
  }
  pieces.push(end)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const buffer = length > scratch.length ? Buffer.allocUnsafeSlow(length) : scratch
  let at = 0
  for (const piece of pieces) {
    buffer.set(piece, at)
    at += piece.length
  }
  return buffer.subarray(0, length)
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
  const packed = await compress(encodePack(exchangeIndexes, indexes.keys()))
  return keys.team(owner.teamId).sealEvent(packed, packAad(owner))
}

/** `of`: the indexes of the exchanges of each part. */
type Pack = { of: number[][]; exchanges: Exchange[] }

async function readPack(sealed: Uint8Array, owner: PackOwner, keys: Keyring): Promise<Pack> {
  await keys.findTeamKey(owner.teamId, sealed)
  const packed = await decompress(keys.team(owner.teamId).openEvent(sealed, packAad(owner)))
  return parseExchanges(packed) as Pack
}

export async function openPack(sealed: Uint8Array, owner: PackOwner, keys: Keyring): Promise<Exchange[][]> {
  const { of, exchanges } = await readPack(sealed, owner, keys)
  return of.map((part) => part.map((index) => exchanges[index]!))
}

/** The pack with some of its parts removed. */
export async function removeParts(
  sealed: Uint8Array,
  removedParts: readonly number[],
  owner: PackOwner,
  keys: Keyring,
): Promise<Uint8Array> {
  const { of, exchanges } = await readPack(sealed, owner, keys)
  const encoded = exchanges.map(encodeExchange)
  const parts = of.map((part, n) => (removedParts.includes(n) ? [] : part.map((index) => encoded[index]!)))
  return sealPack(parts, owner, keys)
}
