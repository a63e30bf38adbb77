import { createHash } from 'node:crypto'

export { idUuid } from '#kit/id.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export const isUuid = (id: string): boolean => uuid.test(id)

/** A random UUID: the namespace of the ids that Aglet derives. */
const ownNamespace = 'c1a1f7a4-5f0e-5d6b-9d57-0a6f6a2f1c38'

/** The version 5 UUID of a name (RFC 9562): the same name always has the same UUID. */
export function uuid5(name: string, namespace = ownNamespace): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The id itself if it is a UUID, otherwise its version 5 UUID. For vendors that accept only UUIDs. */
export const toUuid = (id: string): string => (isUuid(id) ? id.toLowerCase() : uuid5(id))

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The id itself if it is a ULID, otherwise a ULID made of the event's time (epoch ms) and the id's SHA-1: the same id
 * and time always have the same ULID.
 */
export function toUlid(id: string, atMs: number): string {
  if (ulid.test(id)) return id.toUpperCase()
  const time = BigInt(Math.min(Math.max(0, Math.floor(atMs)), 2 ** 48 - 1)) << 80n
  const digest = createHash('sha1').update(id).digest().subarray(0, 10)
  let rest = time | BigInt(`0x${digest.toString('hex')}`)
  let text = ''
  for (let digit = 0; digit < 26; digit++) {
    text = crockford[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return text
}
