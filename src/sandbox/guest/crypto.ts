import type { GuestGlobals, GuestHost } from './guestHost.ts'

/**
 * `randomUUID`, `getRandomValues`, and the digests and HMAC of `subtle`, which sign webhooks. `verify` and
 * `timingSafeEqual` compare in constant time; values of different length are not equal.
 */
export function crypto(host: GuestHost, web: GuestGlobals) {
  const hashOf = (algorithm: unknown): string => {
    const name = `${(algorithm as { name?: unknown } | undefined)?.name ?? algorithm}`.toUpperCase()
    if (!/^SHA-(1|256|384|512)$/.test(name)) throw new TypeError(`${name} is not a supported digest`)
    return name
  }
  const isHmac = (algorithm: unknown) =>
    `${(algorithm as { name?: unknown } | undefined)?.name ?? algorithm}`.toUpperCase() === 'HMAC'
  class CryptoKey {
    readonly type = 'secret'
    #latin1: string
    #hash: string
    constructor(latin1: string, hash: string) {
      this.#latin1 = latin1
      this.#hash = hash
    }
    static sign(key: CryptoKey, data: unknown): string {
      return host.ask('hmac', key.#hash, key.#latin1, web.latin1Of(data))
    }
  }
  const signed = (algorithm: unknown, key: CryptoKey, data: unknown) => {
    if (!isHmac(algorithm)) throw new TypeError('Only HMAC is supported')
    return CryptoKey.sign(key, data)
  }
  const isSame = (one: string, other: string) => host.ask('isSame', one, other) === 'yes'
  const subtle = {
    async digest(algorithm: unknown, data: unknown) {
      return web.bytesOf(host.ask('digest', hashOf(algorithm), web.latin1Of(data))).buffer
    },
    async importKey(format: unknown, data: unknown, algorithm: { hash?: unknown }) {
      if (format !== 'raw' || !isHmac(algorithm)) throw new TypeError('Only raw keys for HMAC can be imported')
      return new CryptoKey(web.latin1Of(data), hashOf(algorithm.hash))
    },
    async sign(algorithm: unknown, key: CryptoKey, data: unknown) {
      return web.bytesOf(signed(algorithm, key, data)).buffer
    },
    async verify(algorithm: unknown, key: CryptoKey, signature: unknown, data: unknown) {
      return isSame(signed(algorithm, key, data), web.latin1Of(signature))
    },
    timingSafeEqual(one: unknown, other: unknown) {
      return isSame(web.latin1Of(one), web.latin1Of(other))
    },
  }
  const getRandomValues = (array: ArrayBufferView) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    if (bytes.length > 65_536) throw new RangeError('At most 65,536 bytes at once')
    bytes.set(web.bytesOf(host.ask('random', `${bytes.length}`)))
    return array
  }
  web.crypto = { randomUUID: () => host.ask('uuid'), getRandomValues, subtle }
}
