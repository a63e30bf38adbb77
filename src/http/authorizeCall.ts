import type { IncomingHttpHeaders } from 'node:http'
import type { AuthenticatedToken } from '#account/authenticatedToken.ts'
import type { SignedInPerson } from '#account/session.ts'
import { isTeamId } from '#account/teamId.ts'
import { fault } from '#contract/fault.ts'
import type { Operation } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'

/** Throws scopeMissing with the scopes that the token lacks. */
export function requireScopes(needed: readonly Scope[], access: AuthenticatedToken): void {
  const missing = needed.filter((scope) => !access.scopes.has(scope))
  if (missing.length > 0) throw fault('scopeMissing', { attributes: { missing } })
}

/** The caller: a token, or a signed-in person if the operation requires a session. */
export type AuthenticatedCaller = AuthenticatedToken | SignedInPerson

/** Checks the access of a call: first the token or session, then the format of Team-Id, then team and scopes. */
export async function authorizeCall(
  { access: needed, teamHeader }: Operation,
  headers: IncomingHttpHeaders,
  authenticate: (authorization: string | undefined) => Promise<AuthenticatedCaller>,
): Promise<void> {
  if (needed === 'public') return
  const caller = await authenticate(headers.authorization)
  if (needed === 'session') return
  const access = caller as AuthenticatedToken
  const team = headers['team-id']
  if (teamHeader && !isTeamId(team)) throw fault('teamIdMissing')
  if (teamHeader && team !== access.teamId) throw fault('teamRefused')
  requireScopes(needed, access)
}

/** Throws contentTypeRefused unless a body is declared as JSON in UTF-8 and not compressed. */
export function requireJsonContent({ body }: Operation, headers: IncomingHttpHeaders): void {
  if (!body) return
  const [type = '', ...more] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = more.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() !== 'application/json' || !isUtf8) throw fault('contentTypeRefused')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fault('contentTypeRefused', { message: 'Send the body as application/json, not compressed.' })
  }
}
