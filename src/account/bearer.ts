/** The token of `Authorization: Bearer …`; undefined for another scheme or a malformed header. */
export const parseBearer = (authorization: string): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1]

/** The challenge header of a 401. */
export const bearerChallenge = { headers: { 'WWW-Authenticate': 'Bearer' } }
