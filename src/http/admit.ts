import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from '#account/access.ts'
import type { SignedIn } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import type { Operation } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'

const teamId = /^team_[0-9a-hjkmnp-tv-z]{26}$/

/** Throws scopeMissing with the scopes that the token lacks. */
export function refuseWithout(needed: readonly Scope[], access: Access): void {
  const missing = needed.filter((scope) => !access.scopes.has(scope))
  if (missing.length > 0) throw fault('scopeMissing', { attributes: { missing } })
}

/** Who calls: a token, or a person where the row asks for a session. */
export type Caller = Access | SignedIn

/** Lets in who calls, if the row does: first the token or session, then the form of Team-Id, then team and scopes. */
export async function admit(
  { access: needed, teamHeader }: Operation,
  headers: IncomingHttpHeaders,
  authenticate: (authorization: string | undefined) => Promise<Caller>,
): Promise<void> {
  if (needed === 'public') return
  const caller = await authenticate(headers.authorization)
  if (needed === 'session') return
  const access = caller as Access
  const team = headers['team-id']
  if (teamHeader && !(typeof team === 'string' && teamId.test(team))) throw fault('teamIdMissing')
  if (teamHeader && team !== access.teamId) throw fault('teamRefused')
  refuseWithout(needed, access)
}

/** A body is JSON, said so and sent as it is. */
export function refuseOtherContent({ body }: Operation, headers: IncomingHttpHeaders): void {
  if (!body) return
  const [type = '', ...more] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = more.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() !== 'application/json' || !isUtf8) throw fault('contentTypeRefused')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fault('contentTypeRefused', { message: 'Send the body as application/json, not compressed.' })
  }
}
