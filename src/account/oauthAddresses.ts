import { scopes } from '#contract/scopes.ts'

/** Where OAuth is spoken in one environment. */
export type OAuthAddresses = {
  /** `{origin}`, in the sandbox `{origin}/sandbox` */
  issuer: string
  /** ends with the version segment */
  baseUrl: string
}

export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  /** The library will have one; nothing of ours is signed, so it is not routed. */
  jwks: '/oauth/jwks',
} as const

/** Where an authorization request waits for the person, and is decided on. */
export const interactionPath = '/oauth/interaction/'

/** The authorization server metadata (RFC 8414). */
export function discovery({ issuer, baseUrl }: OAuthAddresses): Record<string, unknown> {
  const withSecret = ['client_secret_basic', 'client_secret_post']
  return {
    issuer,
    authorization_endpoint: baseUrl + oauthPaths.authorization,
    token_endpoint: baseUrl + oauthPaths.token,
    revocation_endpoint: baseUrl + oauthPaths.revocation,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [...withSecret, 'none'],
    revocation_endpoint_auth_methods_supported: [...withSecret, 'none'],
    scopes_supported: [...scopes],
    authorization_response_iss_parameter_supported: true,
  }
}

/** Where RFC 8414 looks for the metadata of an issuer, and where others do: below the issuer's own path. */
export function discoveryPaths(issuer: string): string[] {
  const wellKnown = '/.well-known/oauth-authorization-server'
  const path = new URL(issuer).pathname.replace(/\/$/, '')
  return [...new Set([wellKnown + path, path + wellKnown])]
}
