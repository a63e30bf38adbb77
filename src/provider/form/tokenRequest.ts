import type { RequestSpec } from './request.ts'
import type { SecretSpecs, SecretsOf } from './secret.ts'

/**
 * The request for an access token, sent before the first request. The token is cached in memory until shortly before it
 * expires, or until the vendor rejects it.
 */
export type TokenRequest<S extends SecretSpecs> = {
  /** Undefined if these secrets need no token. `now`: epoch ms. */
  request(secrets: SecretsOf<S>, now: number): RequestSpec | undefined
  /** The path of the token in the JSON response. Default: `access_token`. */
  tokenPath?: string
  /** The path of the token's lifetime in seconds. Default: `expires_in`. */
  lifetimePath?: string
  /** The lifetime if the response has none. Default: one hour. */
  defaultLifetimeMs?: number
}
