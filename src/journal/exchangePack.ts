import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'

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

const longestCharacter = 3 // bytes of UTF-8 for one UTF-16 code unit
const scratch = Buffer.allocUnsafeSlow(syncCompressLength)

/**
 * JSON of a pack, in a buffer that the next call may overwrite. One string for all exchanges would be so long that V8
 * puts it into the old generation, where collecting it costs more than building it.
 */
function encodePack(of: readonly (readonly number[])[], exchanges: Iterable<Exchange>): Buffer {
  let length = 0
  let buffer = scratch
  const append = (text: string) => {
    const needed = length + text.length * longestCharacter
    if (needed > buffer.length) buffer = Buffer.concat([buffer.subarray(0, length)], needed * 2)
    length += buffer.write(text, length)
  }
  append(`{"of":${JSON.stringify(of)},"exchanges":`)
  let before = '['
  for (const exchange of exchanges) {
    append(`${before}${JSON.stringify(exchange)}`)
    before = ','
  }
  append(before === '[' ? '[]}' : ']}')
  return buffer.subarray(0, length)
}

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
  const indexes = new Map<Exchange, number>()
  const indexOf = (exchange: Exchange) => {
    const known = indexes.get(exchange)
    if (known !== undefined) return known
    indexes.set(exchange, indexes.size)
    return indexes.size - 1
  }
  const exchangeIndexes = parts.map((part) => part.map(indexOf))
  const packed = await compress(encodePack(exchangeIndexes, indexes.keys()))
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
