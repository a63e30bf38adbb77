import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import { Fault } from '#contract/fault.ts'
import type { TokenRate } from '#limit/tokenRate.ts'
import { accessTokens, artifacts } from './oauthArtifacts.ts'
import type { AccountWorld } from './world.ts'

/** What is used up when an access token is got for it. */
const exchanged = ['AuthorizationCode', 'RefreshToken']

/** A fault in the words of OAuth (RFC 6749, 5.2); with Retry-After. */
function inOAuth(problem: unknown): unknown {
  if (!(problem instanceof Fault)) return problem
  const { message, status, headers } = problem
  Provider.ctx?.set(headers)
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', message)
  return Object.assign(error, { status, statusCode: status })
}

function limited(work: () => void): void {
  try {
    work()
  } catch (problem) {
    throw inOAuth(problem)
  }
}

const isTokenRequest = () => Provider.ctx?.oidc?.route === 'token'

/**
 * What the library keeps, for no more access tokens than an application may be issued in a minute. A code or a refresh token that
 * comes above that is not used up.
 */
export function limitedArtifacts(on: AccountWorld & { tokenRate: TokenRate }): (kind: string) => Adapter {
  const open = artifacts(on)
  return (kind) => {
    const kept = open(kind)
    if (exchanged.includes(kind)) {
      const find = async (id: string): Promise<AdapterPayload | undefined> => {
        const payload = (await kept.find(id)) || undefined
        const { clientId } = payload ?? {}
        if (clientId && isTokenRequest()) limited(() => on.tokenRate.refuse(clientId))
        return payload
      }
      return { ...kept, find }
    }
    if (!accessTokens.includes(kind)) return kept
    const upsert: Adapter['upsert'] = async (id, payload, expiresInS) => {
      limited(() => on.tokenRate.take(payload.clientId ?? ''))
      return kept.upsert(id, payload, expiresInS)
    }
    return { ...kept, upsert }
  }
}
