import { generateKeyPairSync } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import { findUnknownScopes, scopes } from '#contract/scopes.ts'
import type { Log } from '#kit/log.ts'
import type { TokenIssueRate } from '#limit/tokenIssueRate.ts'
import type { AccountDeps } from './accountDeps.ts'
import { findRole, parseActor } from './membership.ts'
import { matchesSecret } from './oauthAdapter.ts'
import { interactionPath, type OAuthAddresses, oauthPaths } from './oauthAddresses.ts'
import { hashSecret } from './oneTimeSecret.ts'
import { createRateLimitedAdapter } from './rateLimitedAdapter.ts'
import { generateToken } from './token.ts'

const minuteS = 60
const dayS = 86_400

/** Lifetimes in seconds. */
const lifetimesS = {
  AccessToken: 15 * minuteS,
  ClientCredentials: 15 * minuteS,
  AuthorizationCode: minuteS,
  Interaction: 60 * minuteS,
  Session: 60 * minuteS,
  RefreshToken: 30 * dayS,
  Grant: 365 * dayS,
}

export type OAuthProviderDeps = AccountDeps &
  OAuthAddresses & { log: Log; tokenRate: TokenIssueRate; errorHtml(message: string): OAuthErrorPage }
export type OAuthErrorPage = { html: string; policy: string }

/** The library requires a key for ID tokens. The server issues none, so the key is generated at each start. */
const signingKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as unknown as JWK

const disabled = { enabled: false } as const

function oauthConfiguration(deps: OAuthProviderDeps): Configuration {
  const basePath = new URL(deps.baseUrl).pathname
  const routes = Object.fromEntries(Object.entries(oauthPaths).map(([name, path]) => [name, basePath + path]))
  return {
    adapter: createRateLimitedAdapter(deps),
    routes,
    scopes: [...scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    jwks: { keys: [signingKey()] },
    clientBasedCORS: allowsOrigin,
    pkce: { required: () => true },
    ttl: lifetimesS,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    features: {
      clientCredentials: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      devInteractions: disabled,
      dPoP: disabled,
      pushedAuthorizationRequests: disabled,
      resourceIndicators: disabled,
      rpInitiatedLogout: disabled,
      userinfo: disabled,
    },
    cookies: {
      keys: [deps.keys.hashToken('oauth cookies').toString('base64url')],
      names: {
        session: `aglet_${deps.environment}_flow`,
        interaction: `aglet_${deps.environment}_interaction`,
        resume: `aglet_${deps.environment}_resume`,
      },
      long: { path: `${basePath}/oauth` },
    },
    interactions: { url: (_ctx, { uid }) => basePath + interactionPath + uid },
    findAccount: (_ctx, actor) => findOAuthAccount(deps, actor),
    renderError: (ctx, { error_description = '', error }) => renderError(deps, ctx, error_description || error),
  }
}

/** The account of an actor; undefined if the person is not in the team any more. */
async function findOAuthAccount(deps: AccountDeps, actor: string) {
  const { personId, teamId } = parseActor(actor)
  const person = await deps.store.accounts.person(personId)
  if (!person || !(await findRole(deps, person, teamId))) return undefined
  return { accountId: actor, claims: async () => ({ sub: actor }) }
}

function renderError(
  { errorHtml }: Pick<OAuthProviderDeps, 'errorHtml'>,
  ctx: KoaContextWithOIDC,
  message: string,
): void {
  const { html, policy } = errorHtml(message)
  ctx.set('content-security-policy', policy)
  ctx.type = 'html'
  ctx.body = html
}

/** The scope as sent. The library removes unknown scopes when it parses the parameters. */
const requestedScope = (ctx: KoaContextWithOIDC | undefined): string => {
  const { scope } = (ctx?.oidc.body ?? {}) as { scope?: unknown }
  return typeof scope === 'string' ? scope : ''
}

/** Throws invalid_scope for a scope that does not exist (RFC 6749, section 5.2). The library ignores such a scope. */
function refuseUnknownScopes(requested: string): void {
  const unknown = findUnknownScopes(requested)
  if (unknown.length > 0) throw new errors.InvalidScope('unknown scope', unknown.join(' '))
}

/** A page of a public application may call the token endpoint from the origin of one of its redirect URIs. */
const allowsOrigin: Configuration['clientBasedCORS'] = (_ctx, origin, client) =>
  client.clientAuthMethod === 'none' && (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin)

/**
 * Replaces the scope of an authorization request by an empty one if any of its scopes does not exist: the consent page
 * then refuses it as invalid_scope. The library would ignore the unknown scope.
 */
async function dropMistypedScopes(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const { scope } = ctx.query
  if (typeof scope === 'string' && findUnknownScopes(scope).length > 0) ctx.query = { ...ctx.query, scope: '' }
  await next()
}

/** The library answers invalid_request for a grant type that the client may not use (RFC 6749, section 5.2). */
async function nameRefusedGrantType(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (body?.error_description === 'requested grant type is not allowed for this client')
    body.error = 'unauthorized_client'
}

type LibraryToken = { scope?: string; client?: { scope?: string }; generateTokenId(): string }

/**
 * Makes the library issue tokens in this server's format, with every scope of the application if none is requested. The
 * library's own `generateTokenId` is still called, because it marks the token as opaque.
 */
function useOwnTokenFormat(
  provider: Provider,
  { environment, keys }: Pick<OAuthProviderDeps, 'environment' | 'keys'>,
): void {
  for (const issued of [
    provider.AccessToken.prototype,
    provider.ClientCredentials.prototype,
  ] as unknown as LibraryToken[]) {
    const { generateTokenId } = issued
    issued.generateTokenId = function mint() {
      generateTokenId.call(this)
      refuseUnknownScopes(requestedScope(Provider.ctx))
      if (!this.scope && this.client?.scope) this.scope = this.client.scope
      return generateToken(environment)
    }
  }
  const client = provider.Client.prototype as unknown as { compareClientSecret: unknown }
  client.compareClientSecret = function compare(this: { clientSecret: string }, secret: string) {
    return matchesSecret(hashSecret(keys, 'client', secret), this.clientSecret)
  }
}

/** The authorization server of one environment. */
export function createOAuthProvider(deps: OAuthProviderDeps): Provider {
  const provider = new Provider(deps.issuer, oauthConfiguration(deps))
  provider.proxy = true // the routes set the origin; the Host header is not used
  for (const middleware of [dropMistypedScopes, nameRefusedGrantType])
    provider.use(middleware as Parameters<typeof provider.use>[0])
  useOwnTokenFormat(provider, deps)
  const logError = (error: unknown) => deps.log({ level: 'error', message: 'an OAuth call failed', error })
  provider.on('server_error', (_ctx, error) => logError(error))
  const koa: EventEmitter = provider
  koa.on('error', logError)
  return provider
}
