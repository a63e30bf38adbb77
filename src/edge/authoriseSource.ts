import { createHash } from 'node:crypto'
import { bearerChallenge, parseBearer } from '#account/bearer.ts'
import { Fault, fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { EdgeCall } from './edge.ts'

/**
 * Checks the key of a source and returns whether the call is trusted. The tag's id is the public key: it names the
 * tag and proves nothing. The secret key is an access token of the tag's team with only the scope `event:write`. A
 * request with an Origin is never trusted, because no key is secret in a page. Throws tokenRefused, teamRefused,
 * scopeMissing and serverTokenRequired.
 */
export async function authoriseSource(
  key: string | undefined,
  { edge, tag, request }: Pick<EdgeCall, 'edge' | 'tag' | 'request'>,
): Promise<boolean> {
  const isPage = request.headers.origin !== undefined
  const isSecret = key !== undefined && key !== tag.tagId
  if (isSecret) await refuseKey(key, { edge, tag })
  const trusted = isSecret && !isPage
  if (tag.serverToken === 'required' && !isPage && !trusted) throw fault('serverTokenRequired')
  return trusted
}

async function refuseKey(key: string, { edge, tag }: Pick<EdgeCall, 'edge' | 'tag'>): Promise<void> {
  const token = parseBearer(key) ?? key
  if (/\s/.test(token)) throw fault('tokenRefused', bearerChallenge('invalid_token'))
  const { teamId, scopes } = await edge.deps.authenticate(`Bearer ${token}`)
  if (teamId !== tag.teamId) throw fault('teamRefused', { message: 'The key of the source belongs to another team.' })
  if (!scopes.has('event:write')) throw fault('scopeMissing', { attributes: { missing: ['event:write'] } })
  if (scopes.size > 1)
    throw fault('scopeMissing', {
      message:
        'The key of a source must be an access token with only the scope event:write. Create one for the source.',
    })
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * True if the key is the tag's public key or one of its secret keys. Compares digests and makes the same look-up for every
 * key, so that timing reveals nothing about it.
 */
export async function isKeyOf(key: string, { edge, tag }: Pick<EdgeCall, 'edge' | 'tag'>): Promise<boolean> {
  const isPublic = equalBytes(digest(key), digest(tag.tagId))
  const problem = await refuseKey(key, { edge, tag }).catch((error: unknown) => error)
  if (isPublic || problem === undefined) return true
  if (problem instanceof Fault && problem.status < 500) return false
  throw problem
}
