/** The token of `Authorization: Bearer …`; undefined for another scheme or a malformed header. */
export const parseBearer = (authorization: string): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1]

type BearerError = 'invalid_token' | 'insufficient_scope'

/**
 * The challenge header of a 401 or 403 (RFC 6750, section 3). A call without a token gets no error code. `scopes`: the
 * scopes that the operation needs.
 */
export function bearerChallenge(
  error?: BearerError,
  scopes: readonly string[] = [],
): { headers: Record<string, string> } {
  const parameters = [
    ...(error ? [`error="${error}"`] : []),
    ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
  ]
  return { headers: { 'WWW-Authenticate': ['Bearer', parameters.join(', ')].filter(Boolean).join(' ') } }
}
