import type { IncomingHttpHeaders } from 'node:http'
import type { AuthenticateToken } from '#account/teamAccess.ts'
import { isTeamId, teamIdMissing } from '#account/teamId.ts'
import { fault } from '#contract/fault.ts'
import type { Snapshot } from '#script/snapshot.ts'

/**
 * Checks the access token of a call and returns true: the call is trusted. A token is optional at the edge. If sent, it
 * must be valid, belong to the tag's team (which Team-Id must name) and have the scope `event:write`. Throws
 * tokenRefused, teamIdMissing, teamRefused, scopeMissing.
 */
export async function authorise(
  headers: IncomingHttpHeaders,
  tag: Pick<Snapshot, 'teamId'>,
  authenticate: AuthenticateToken,
): Promise<true> {
  const access = await authenticate(headers.authorization)
  const givenTeamId = headers['team-id']
  if (!isTeamId(givenTeamId)) throw teamIdMissing(access.teamId)
  if (givenTeamId !== access.teamId || givenTeamId !== tag.teamId) throw fault('teamRefused')
  if (!access.scopes.has('event:write')) throw fault('scopeMissing', { attributes: { missing: ['event:write'] } })
  return true
}
