import type { IncomingHttpHeaders } from 'node:http'
import { bearerChallenge } from '#account/bearer.ts'
import type { FindPersonAccess } from '#account/personAccess.ts'
import type { SignedInPerson } from '#account/session.ts'
import type { TeamAccess } from '#account/teamAccess.ts'
import { isTeamId, teamIdMissing } from '#account/teamId.ts'
import { fault } from '#contract/fault.ts'
import { needsTeam } from '#contract/needsTeam.ts'
import type { Operation } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'

const missingScopes = (needed: readonly Scope[], { scopes }: TeamAccess) => needed.filter((each) => !scopes.has(each))

/** Throws scopeMissing with the scopes that the caller lacks. */
export function requireScopes(needed: readonly Scope[], access: TeamAccess): void {
  const missing = missingScopes(needed, access)
  if (missing.length > 0)
    throw fault('scopeMissing', { attributes: { missing }, ...bearerChallenge('insufficient_scope', needed) })
}

/** The caller: a token's team and scopes, or a signed-in person. */
export type AuthenticatedCaller = TeamAccess | SignedInPerson

const isPerson = (caller: AuthenticatedCaller): caller is SignedInPerson => 'person' in caller

/** The team of the header `Team-Id`. Throws teamIdMissing; with a token, the fault names its team. */
function readTeamId(headers: IncomingHttpHeaders, ofToken?: string): string {
  const team = headers['team-id']
  if (isTeamId(team)) return team
  throw ofToken === undefined ? fault('teamIdMissing') : teamIdMissing(ofToken)
}

/** Checks that the caller has the scopes of `access` or of `formerAccess`. Throws scopeMissing. */
function requireAccess({ access: needed, formerAccess }: Operation, access: TeamAccess): void {
  if (formerAccess && missingScopes(formerAccess, access).length === 0) return
  requireScopes(needed as readonly Scope[], access)
}

/** A token belongs to one team; a person chooses a team with each call. Throws teamIdMissing, teamRefused. */
async function findTeamAccess(
  operation: Operation,
  headers: IncomingHttpHeaders,
  caller: AuthenticatedCaller,
  findPersonAccess: FindPersonAccess,
): Promise<TeamAccess> {
  if (isPerson(caller)) {
    const access = await findPersonAccess(caller.person, readTeamId(headers))
    if (!access) throw fault('teamRefused')
    return access
  }
  if (needsTeam(operation) && readTeamId(headers, caller.teamId) !== caller.teamId) throw fault('teamRefused')
  return caller
}

type AuthorizeDeps = { authenticate(): Promise<AuthenticatedCaller>; findPersonAccess: FindPersonAccess }

/**
 * Checks the access of a call: first the token or session, then the format of Team-Id, then team and scopes. Returns the
 * caller as the operation needs it: a person for `session` and `operator`, else the access to a team.
 */
export async function authorizeCall(
  operation: Operation,
  headers: IncomingHttpHeaders,
  { authenticate, findPersonAccess }: AuthorizeDeps,
): Promise<AuthenticatedCaller | undefined> {
  if (operation.access === 'public') return undefined
  const caller = await authenticate()
  if (operation.access === 'session') return caller
  if (operation.access === 'operator') {
    if (!isPerson(caller) || caller.person.role !== 'operator') throw fault('operatorRequired')
    return caller
  }
  const access = await findTeamAccess(operation, headers, caller, findPersonAccess)
  requireAccess(operation, access)
  return access
}

/** Throws contentTypeRefused unless a body is declared as JSON in UTF-8 and not compressed. */
export function requireJsonContent({ body }: Operation, headers: IncomingHttpHeaders): void {
  if (!body) return
  const [type = '', ...more] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = more.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() !== 'application/json' || !isUtf8) throw fault('contentTypeRefused')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fault('contentTypeRefused', {
      message: 'Send the body as application/json, not compressed.',
      headers: { 'accept-encoding': 'identity' }, // RFC 9110 §15.5.16
    })
  }
}
