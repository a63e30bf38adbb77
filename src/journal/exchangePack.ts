import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'

type PackOwner = { tagId: string; teamId: string }

/** Bodies of one channel are similar: in a pack, each takes about a tenth of its size alone. */
const compressInThreadPool = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Up to this length a text is compressed synchronously: in less than 1 ms, a fifth of the cost of using the thread
 * pool.
 */
const syncCompressLength = 256 * 1024
const compress = async (text: string): Promise<Uint8Array> =>
  text.length <= syncCompressLength ? zstdCompressSync(text, fast) : compressInThreadPool(text, fast)

/** Additional authenticated data, so that a sealed event cannot be opened as a pack. */
const packAad = ({ tagId }: PackOwner) => `${tagId} bodies`

/**
 * Seals the exchanges of several attempts with the team's key. Each part belongs to one attempt; parts may share
 * exchanges.
 */
export async function sealPack(
  parts: readonly (readonly Exchange[])[],
  owner: PackOwner,
  keys: Keyring,
): Promise<Uint8Array> {
  const exchanges = [...new Set(parts.flat())]
  const indexes = new Map(exchanges.map((exchange, index) => [exchange, index]))
  const exchangeIndexes = parts.map((part) => part.map((exchange) => indexes.get(exchange)!))
  const packed = await compress(JSON.stringify({ of: exchangeIndexes, exchanges }))
  return keys.team(owner.teamId).sealEvent(packed, packAad(owner))
}

export async function openPack(sealed: Uint8Array, owner: PackOwner, keys: Keyring): Promise<Exchange[][]> {
  await keys.findTeamKey(owner.teamId, sealed)
  const packed = await decompress(keys.team(owner.teamId).openEvent(sealed, packAad(owner)))
  const { of: exchangeIndexes, exchanges } = JSON.parse(packed.toString()) as { of: number[][]; exchanges: Exchange[] }
  return exchangeIndexes.map((part) => part.map((index) => exchanges[index]!))
}

/** The pack with some of its parts removed. */
export async function removeParts(
  sealed: Uint8Array,
  removedParts: readonly number[],
  owner: PackOwner,
  keys: Keyring,
): Promise<Uint8Array> {
  const parts = await openPack(sealed, owner, keys)
  return sealPack(
    parts.map((part, index) => (removedParts.includes(index) ? [] : part)),
    owner,
    keys,
  )
}
