import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import { Fault } from '#contract/fault.ts'
import type { TokenIssueRate } from '#limit/tokenIssueRate.ts'
import type { AccountDeps } from './accountDeps.ts'
import { accessTokenKinds, createOAuthAdapter } from './oauthAdapter.ts'

/** The artifacts that are consumed in exchange for an access token. */
const exchangedKinds = ['AuthorizationCode', 'RefreshToken']

/** A fault as an OAuth error (RFC 6749, section 5.2), with headers such as Retry-After. */
function toOAuthError(problem: unknown): unknown {
  if (!(problem instanceof Fault)) return problem
  const { message, status, headers } = problem
  Provider.ctx?.set(headers)
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', message)
  return Object.assign(error, { status, statusCode: status })
}

function withOAuthErrors(work: () => void): void {
  try {
    work()
  } catch (problem) {
    throw toOAuthError(problem)
  }
}

const isTokenRequest = () => Provider.ctx?.oidc?.route === 'token'

/**
 * Wraps the library's storage: limits the access tokens that an application gets per minute. A code or refresh token
 * above the limit is not consumed.
 */
export function createRateLimitedAdapter(deps: AccountDeps & { tokenRate: TokenIssueRate }): (kind: string) => Adapter {
  const open = createOAuthAdapter(deps)
  return (kind) => {
    const adapter = open(kind)
    if (exchangedKinds.includes(kind)) {
      const find = async (id: string): Promise<AdapterPayload | undefined> => {
        const payload = (await adapter.find(id)) || undefined
        const { clientId } = payload ?? {}
        if (clientId && isTokenRequest()) withOAuthErrors(() => deps.tokenRate.refuse(clientId))
        return payload
      }
      return { ...adapter, find }
    }
    if (!accessTokenKinds.includes(kind)) return adapter
    const upsert: Adapter['upsert'] = async (id, payload, expiresInS) => {
      withOAuthErrors(() => deps.tokenRate.take(payload.clientId ?? ''))
      return adapter.upsert(id, payload, expiresInS)
    }
    return { ...adapter, upsert }
  }
}
