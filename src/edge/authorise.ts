import type { IncomingHttpHeaders } from 'node:http'
import type { Authenticate } from '#account/access.ts'
import { fault } from '#contract/fault.ts'
import type { Snapshot } from '#script/snapshot.ts'

const teamId = /^team_[0-9a-hjkmnp-tv-z]{26}$/

/**
 * Whether a call is trusted: calls of the edge are public, but a token that is sent has to be good, of the tag's team,
 * named by Team-Id, and with the scope `event:write`. Throws tokenRefused, teamIdMissing, teamRefused, scopeMissing.
 */
export async function authorise(
  headers: IncomingHttpHeaders,
  tag: Pick<Snapshot, 'teamId'>,
  authenticate: Authenticate,
): Promise<true> {
  const access = await authenticate(headers.authorization)
  const named = headers['team-id']
  if (typeof named !== 'string' || !teamId.test(named)) throw fault('teamIdMissing')
  if (named !== access.teamId || named !== tag.teamId) throw fault('teamRefused')
  if (!access.scopes.has('event:write')) throw fault('scopeMissing', { attributes: { missing: ['event:write'] } })
  return true
}
