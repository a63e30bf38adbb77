import { createHash } from 'node:crypto'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** The namespace of ids that are no address, DNS name or object id of anybody else (made for Aglet, once). */
const ownNamespace = 'c1a1f7a4-5f0e-5d6b-9d57-0a6f6a2f1c38'

/** A UUID of version 5 (RFC 9562): always the same for the same name. */
export function uuid5(name: string, namespace = ownNamespace): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** An id as a vendor wants it that takes only UUIDs: a UUID as it is, any other text as a UUID made of it. */
export const uuidOf = (id: string): string => (uuid.test(id) ? id.toLowerCase() : uuid5(id))
