import { createHmac, sign } from 'node:crypto'

/** The `authorization` header for a user and a password (RFC 7617). */
export const basicAuth = (user: string, password = '') =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The `authorization` header for an access token (RFC 6750). */
export const bearerAuth = (token: string) => `Bearer ${token}`

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * A signed JSON Web Token (RFC 7519): `rs256` is an RSA private key in PEM, `hs256` a shared secret. Throws for an
 * invalid key.
 */
export function signedJwt(claims: object, key: { rs256: string } | { hs256: string }): string {
  const isRsa = 'rs256' in key
  const head = `${encoded({ alg: isRsa ? 'RS256' : 'HS256', typ: 'JWT' })}.${encoded(claims)}`
  const signature = isRsa
    ? sign('sha256', Buffer.from(head), key.rs256)
    : createHmac('sha256', key.hs256).update(head).digest()
  return `${head}.${signature.toString('base64url')}`
}
