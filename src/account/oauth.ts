import { generateKeyPairSync } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import { scopes } from '#contract/scopes.ts'
import type { Log } from '#kit/log.ts'
import type { TokenRate } from '#limit/tokenRate.ts'
import { limitedArtifacts } from './limitedArtifacts.ts'
import { partsOf, roleIn } from './member.ts'
import { interactionPath, type OAuthAddresses, oauthPaths } from './oauthAddresses.ts'
import { isOneOf } from './oauthArtifacts.ts'
import { secretHash } from './oneTime.ts'
import { mintToken } from './token.ts'
import type { AccountWorld } from './world.ts'

const minuteS = 60
const dayS = 86_400

/** Seconds that each thing lives. */
const lives = {
  AccessToken: 15 * minuteS,
  ClientCredentials: 15 * minuteS,
  AuthorizationCode: minuteS,
  Interaction: 60 * minuteS,
  Session: 60 * minuteS,
  RefreshToken: 30 * dayS,
  Grant: 365 * dayS,
}

export type OAuthWorld = AccountWorld &
  OAuthAddresses & { log: Log; tokenRate: TokenRate; errorHtml(message: string): ErrorPage }
export type ErrorPage = { html: string; policy: string }

/** The library wants a key to sign ID tokens with. We give out none, so it is made anew at each start. */
const signingKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as unknown as JWK

const off = { enabled: false } as const

function configuration(on: OAuthWorld): Configuration {
  const basePath = new URL(on.baseUrl).pathname
  const routes = Object.fromEntries(Object.entries(oauthPaths).map(([name, path]) => [name, basePath + path]))
  return {
    adapter: limitedArtifacts(on),
    routes,
    scopes: [...scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    jwks: { keys: [signingKey()] },
    pkce: { required: () => true },
    ttl: lives,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    features: {
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      rpInitiatedLogout: off,
      userinfo: off,
    },
    cookies: {
      keys: [on.keys.tokenHash('oauth cookies').toString('base64url')],
      names: {
        session: `aglet_${on.environment}_flow`,
        interaction: `aglet_${on.environment}_interaction`,
        resume: `aglet_${on.environment}_resume`,
      },
      long: { path: `${basePath}/oauth` },
    },
    interactions: { url: (_ctx, { uid }) => basePath + interactionPath + uid },
    findAccount: (_ctx, actor) => accountOf(on, actor),
    renderError: (ctx, { error_description = '', error }) => renderError(on, ctx, error_description || error),
  }
}

/** The actor, as long as the person is in the team. */
async function accountOf(on: AccountWorld, actor: string) {
  const { personId, teamId } = partsOf(actor)
  const person = await on.store.accounts.person(personId)
  if (!person || !(await roleIn(on, person, teamId))) return undefined
  return { accountId: actor, claims: async () => ({ sub: actor }) }
}

function renderError({ errorHtml }: OAuthWorld, ctx: KoaContextWithOIDC, message: string): void {
  const { html, policy } = errorHtml(message)
  ctx.set('content-security-policy', policy)
  ctx.type = 'html'
  ctx.body = html
}

type Issued = { scope?: string; client?: { scope?: string }; generateTokenId(): string }

/**
 * Our tokens in the library's hands: of our form, and with every scope of the application where none is asked for. The
 * library's own way of making an id is run all the same, because it marks the token as opaque.
 */
function makeOurTokens(provider: Provider, { environment, keys }: OAuthWorld): void {
  for (const issued of [provider.AccessToken.prototype, provider.ClientCredentials.prototype] as unknown as Issued[]) {
    const { generateTokenId } = issued
    issued.generateTokenId = function mint() {
      generateTokenId.call(this)
      if (!this.scope && this.client?.scope) this.scope = this.client.scope
      return mintToken(environment)
    }
  }
  const client = provider.Client.prototype as unknown as { compareClientSecret: unknown }
  client.compareClientSecret = function compare(this: { clientSecret: string }, given: string) {
    return isOneOf(secretHash(keys, 'client', given), this.clientSecret)
  }
}

/** The authorization server of one environment. */
export function openOAuth(on: OAuthWorld): Provider {
  const provider = new Provider(on.issuer, configuration(on))
  provider.proxy = true // the routes say what the origin is, whatever Host a request came with
  makeOurTokens(provider, on)
  const tell = (error: unknown) => on.log({ level: 'error', message: 'an OAuth call failed', error })
  provider.on('server_error', (_ctx, error) => tell(error))
  const koa: EventEmitter = provider
  koa.on('error', tell)
  return provider
}
