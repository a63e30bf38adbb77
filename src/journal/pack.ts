import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { Exchange } from '#contract/journey.ts'

type Owner = { tagId: string; teamId: string }

/** Bodies of one channel are nearly alike: packed together, one takes a tenth of what it takes by itself. */
const compressApart = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** What is so short is compressed at once: within a millisecond, and for a fifth of what handing it to another thread costs. */
const shortLength = 256 * 1024
const compress = async (text: string): Promise<Uint8Array> =>
  text.length <= shortLength ? zstdCompressSync(text, fast) : compressApart(text, fast)

/** Bound to the bytes, so that no event opens as bodies. */
const boundTo = ({ tagId }: Owner) => `${tagId} bodies`

/** The exchanges of several attempts, sealed under the team's key: each part is one attempt's. Several may share an exchange. */
export async function sealPack(
  parts: readonly (readonly Exchange[])[],
  owner: Owner,
  keys: Keyring,
): Promise<Uint8Array> {
  const exchanges = [...new Set(parts.flat())]
  const places = new Map(exchanges.map((exchange, place) => [exchange, place]))
  const of = parts.map((part) => part.map((exchange) => places.get(exchange)!))
  const packed = await compress(JSON.stringify({ of, exchanges }))
  return keys.team(owner.teamId).sealEvent(packed, boundTo(owner))
}

export async function openPack(sealed: Uint8Array, owner: Owner, keys: Keyring): Promise<Exchange[][]> {
  const packed = await decompress(keys.team(owner.teamId).openEvent(sealed, boundTo(owner)))
  const { of, exchanges } = JSON.parse(packed.toString()) as { of: number[][]; exchanges: Exchange[] }
  return of.map((part) => part.map((place) => exchanges[place]!))
}

/** The pack without some of its parts: nothing is left of them. */
export async function withoutParts(
  sealed: Uint8Array,
  gone: readonly number[],
  owner: Owner,
  keys: Keyring,
): Promise<Uint8Array> {
  const parts = await openPack(sealed, owner, keys)
  return sealPack(
    parts.map((part, place) => (gone.includes(place) ? [] : part)),
    owner,
    keys,
  )
}
