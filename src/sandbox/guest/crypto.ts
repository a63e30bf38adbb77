import type { GuestGlobals, GuestHost } from './guestHost.ts'

/** Argument checks for `cryptoKeys` and `crypto`. They accept and reject the same values as the standard. */
export function cryptoArguments(_: GuestHost, web: GuestGlobals) {
  const everyUsage = 'encrypt decrypt sign verify deriveKey deriveBits wrapKey unwrapKey'.split(' ')
  const algorithmName = (algorithm: unknown): string => {
    if (Object(algorithm) !== algorithm) return `${algorithm}`.toUpperCase()
    const { name } = algorithm as { name?: unknown }
    if (name === undefined) throw new TypeError('An algorithm must have a name')
    return `${name}`.toUpperCase()
  }
  web.cryptoArguments = {
    domError: (name: string, message: string) => new web.DOMException(message, name),
    hashName(algorithm: unknown): string {
      const name = algorithmName(algorithm)
      if (!/^SHA-(1|256|384|512)$/.test(name))
        throw new web.DOMException(`${name} is not a supported digest`, 'NotSupportedError')
      return name
    },
    requireHmac(algorithm: unknown) {
      if (algorithmName(algorithm) !== 'HMAC') throw new web.DOMException('Only HMAC is supported', 'NotSupportedError')
    },
    requireCount(args: readonly unknown[], count: number) {
      if (args.length < count) throw new TypeError(`${count} arguments are required`)
    },
    usagesOf(list: unknown): string[] {
      if (Object(list) !== list) throw new TypeError('The usages must be a list')
      const usages = new Set([...(list as Iterable<unknown>)].map((usage) => `${usage}`))
      for (const usage of usages) if (!everyUsage.includes(usage)) throw new TypeError(`${usage} is not a key usage`)
      return everyUsage.filter((usage) => usages.has(usage))
    },
  }
}

/** Raw keys for HMAC. As in the standard, an empty key is rejected: anyone could sign with it. */
export function cryptoKeys(host: GuestHost, web: GuestGlobals) {
  type Key = { latin1: string; hash: string; usages: readonly string[] }
  const { domError, hashName, requireHmac, usagesOf } = web.cryptoArguments
  const keys = new WeakMap<object, Key>()
  web.CryptoKey = class CryptoKey {
    readonly type = 'secret'
    readonly extractable: boolean
    readonly algorithm: object
    readonly usages: string[]
    constructor(key?: Key, extractable = false) {
      if (!key) throw new TypeError('Illegal constructor')
      keys.set(this, key)
      this.extractable = extractable
      this.algorithm = { name: 'HMAC', length: key.latin1.length * 8, hash: { name: key.hash } }
      this.usages = [...key.usages]
    }
  }
  web.signBy = (usage: 'sign' | 'verify', algorithm: unknown, given: unknown, data: string): string => {
    const key = keys.get(Object(given))
    if (!key) throw new TypeError('The key is not a CryptoKey')
    requireHmac(algorithm)
    if (!key.usages.includes(usage)) throw domError('InvalidAccessError', `The key does not allow ${usage}`)
    return host.ask('hmac', key.hash, key.latin1, data)
  }
  web.importRawKey = (data: unknown, algorithm: unknown, extractable: unknown, list: unknown) => {
    const usages: string[] = usagesOf(list)
    const latin1: string = web.latin1Of(data)
    requireHmac(algorithm)
    const { hash, length } = Object(algorithm) as { hash?: unknown; length?: unknown }
    if (hash === undefined) throw new TypeError('HMAC requires the name of a hash')
    const name = hashName(hash)
    if (usages.some((usage) => usage !== 'sign' && usage !== 'verify'))
      throw domError('SyntaxError', 'An HMAC key can only have the usages sign and verify')
    if (latin1 === '') throw domError('DataError', 'The key is empty')
    if (length !== undefined && Number(length) !== latin1.length * 8)
      throw domError('DataError', 'The length differs from the length of the key')
    if (usages.length === 0) throw domError('SyntaxError', 'A key must have a usage')
    return new web.CryptoKey({ latin1, hash: name, usages }, Boolean(extractable))
  }
}

/**
 * `randomUUID`, `getRandomValues`, and the digests and HMAC of `subtle`, which sign webhooks. `verify` and
 * `timingSafeEqual` compare in constant time; values of different length are not equal.
 */
export function crypto(host: GuestHost, web: GuestGlobals) {
  const { domError, hashName, requireCount } = web.cryptoArguments
  const isSame = (one: string, other: string) => host.ask('isSame', one, other) === 'yes'
  const subtle = {
    async digest(...args: unknown[]) {
      requireCount(args, 2)
      const latin1 = web.latin1Of(args[1])
      return web.bytesOf(host.ask('digest', hashName(args[0]), latin1)).buffer
    },
    async importKey(...args: unknown[]) {
      requireCount(args, 5)
      const [format, data, algorithm, extractable, usages] = args
      if (!/^(raw|jwk|pkcs8|spki)$/.test(`${format}`)) throw new TypeError(`${format} is not a key format`)
      if (`${format}` !== 'raw') throw domError('NotSupportedError', 'Only raw keys can be imported')
      return web.importRawKey(data, algorithm, extractable, usages)
    },
    async sign(...args: unknown[]) {
      requireCount(args, 3)
      const [algorithm, key, data] = args
      return web.bytesOf(web.signBy('sign', algorithm, key, web.latin1Of(data))).buffer
    },
    async verify(...args: unknown[]) {
      requireCount(args, 4)
      const [algorithm, key, signature, data] = args
      const given = web.latin1Of(signature)
      return isSame(web.signBy('verify', algorithm, key, web.latin1Of(data)), given)
    },
    timingSafeEqual(one: unknown, other: unknown) {
      return isSame(web.latin1Of(one), web.latin1Of(other))
    },
  }
  const arrayTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)!
    .get!
  const getRandomValues = (array: unknown) => {
    if (!/^(Big)?(Ui|I)nt/.test(`${arrayTag.call(array)}`))
      throw domError('TypeMismatchError', 'Only integer arrays can be filled')
    const { buffer, byteOffset, byteLength } = array as ArrayBufferView
    if (byteLength > 65_536) throw domError('QuotaExceededError', 'At most 65,536 bytes at once')
    new Uint8Array(buffer, byteOffset, byteLength).set(web.bytesOf(host.ask('random', `${byteLength}`)))
    return array
  }
  web.crypto = { randomUUID: () => host.ask('uuid'), getRandomValues, subtle }
}
