import type { GuestGlobals, GuestHost } from './guestHost.ts'

/**
 * `randomUUID`, `getRandomValues`, and of `subtle` the digests and HMAC with raw keys, which sign webhooks. They take,
 * return and refuse what the standard says, so that code that is safe elsewhere is safe here: an empty key is refused.
 * `verify` and `timingSafeEqual` compare in constant time; values of different length are not equal.
 */
export function crypto(host: GuestHost, web: GuestGlobals) {
  type Key = { latin1: string; hash: string; usages: readonly string[] }
  const domError = (name: string, message: string) => new web.DOMException(message, name)
  const nameOf = (algorithm: unknown): string => {
    if (Object(algorithm) !== algorithm) return `${algorithm}`.toUpperCase()
    const { name } = algorithm as { name?: unknown }
    if (name === undefined) throw new TypeError('An algorithm has a name')
    return `${name}`.toUpperCase()
  }
  const hashOf = (algorithm: unknown): string => {
    const name = nameOf(algorithm)
    if (!/^SHA-(1|256|384|512)$/.test(name)) throw domError('NotSupportedError', `${name} is not a supported digest`)
    return name
  }
  const requireHmac = (algorithm: unknown) => {
    if (nameOf(algorithm) !== 'HMAC') throw domError('NotSupportedError', 'Only HMAC is supported')
  }
  const requireCount = (args: readonly unknown[], count: number) => {
    if (args.length < count) throw new TypeError(`${count} arguments are required`)
  }

  const everyUsage = 'encrypt decrypt sign verify deriveKey deriveBits wrapKey unwrapKey'.split(' ')
  const usagesOf = (list: unknown): string[] => {
    if (Object(list) !== list) throw new TypeError('The usages are a list')
    const usages = new Set([...(list as Iterable<unknown>)].map((usage) => `${usage}`))
    for (const usage of usages) if (!everyUsage.includes(usage)) throw new TypeError(`${usage} is no usage of a key`)
    return everyUsage.filter((usage) => usages.has(usage))
  }

  const keys = new WeakMap<object, Key>()
  class CryptoKey {
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
  const signed = (usage: 'sign' | 'verify', algorithm: unknown, given: unknown, data: string): string => {
    const key = keys.get(Object(given))
    if (!key) throw new TypeError('The key is no CryptoKey')
    requireHmac(algorithm)
    if (!key.usages.includes(usage)) throw domError('InvalidAccessError', `The key may not ${usage}`)
    return host.ask('hmac', key.hash, key.latin1, data)
  }

  const importKey = (data: unknown, algorithm: unknown, extractable: unknown, list: unknown) => {
    const usages = usagesOf(list)
    const latin1 = web.latin1Of(data)
    requireHmac(algorithm)
    const { hash, length } = Object(algorithm) as { hash?: unknown; length?: unknown }
    if (hash === undefined) throw new TypeError('HMAC needs the name of its hash')
    const hashName = hashOf(hash)
    if (usages.some((usage) => usage !== 'sign' && usage !== 'verify'))
      throw domError('SyntaxError', 'A key for HMAC may sign, verify or both')
    if (latin1 === '') throw domError('DataError', 'The key is empty')
    if (length !== undefined && Number(length) !== latin1.length * 8)
      throw domError('DataError', 'The length is not that of the key')
    if (usages.length === 0) throw domError('SyntaxError', 'A key has a usage')
    return new CryptoKey({ latin1, hash: hashName, usages }, Boolean(extractable))
  }

  const isSame = (one: string, other: string) => host.ask('isSame', one, other) === 'yes'
  const subtle = {
    async digest(...args: unknown[]) {
      requireCount(args, 2)
      const [algorithm, data] = args
      const latin1 = web.latin1Of(data)
      return web.bytesOf(host.ask('digest', hashOf(algorithm), latin1)).buffer
    },
    async importKey(...args: unknown[]) {
      requireCount(args, 5)
      const [format, data, algorithm, extractable, usages] = args
      if (!/^(raw|jwk|pkcs8|spki)$/.test(`${format}`)) throw new TypeError(`${format} is no format of a key`)
      if (`${format}` !== 'raw') throw domError('NotSupportedError', 'Only raw keys can be imported')
      return importKey(data, algorithm, extractable, usages)
    },
    async sign(...args: unknown[]) {
      requireCount(args, 3)
      const [algorithm, key, data] = args
      return web.bytesOf(signed('sign', algorithm, key, web.latin1Of(data))).buffer
    },
    async verify(...args: unknown[]) {
      requireCount(args, 4)
      const [algorithm, key, signature, data] = args
      const given = web.latin1Of(signature)
      return isSame(signed('verify', algorithm, key, web.latin1Of(data)), given)
    },
    timingSafeEqual(one: unknown, other: unknown) {
      return isSame(web.latin1Of(one), web.latin1Of(other))
    },
  }
  const getRandomValues = (array: unknown) => {
    const tag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)!.get!
    if (!/^(Big)?(Ui|I)nt/.test(`${tag.call(array)}`))
      throw domError('TypeMismatchError', 'Only arrays of integers are filled')
    const { buffer, byteOffset, byteLength } = array as ArrayBufferView
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    if (bytes.length > 65_536) throw domError('QuotaExceededError', 'At most 65,536 bytes at once')
    bytes.set(web.bytesOf(host.ask('random', `${bytes.length}`)))
    return array
  }
  web.CryptoKey = CryptoKey
  web.crypto = { randomUUID: () => host.ask('uuid'), getRandomValues, subtle }
}
