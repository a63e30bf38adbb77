/** What `Authorization: Bearer …` shows; undefined for another scheme, and for anything besides it. */
export const bearerIn = (authorization: string): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1]

/** How a 401 says what is due. */
export const wanted = { headers: { 'WWW-Authenticate': 'Bearer' } }
