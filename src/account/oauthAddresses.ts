import { scopes } from '#contract/scopes.ts'

/** The OAuth URLs of one environment. */
export type OAuthAddresses = {
  /** `{origin}`, in the sandbox `{origin}/sandbox` */
  issuer: string
  /** Ends with the version segment. */
  baseUrl: string
}

export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  /** Required by the library. Nothing is signed, so it is not routed. */
  jwks: '/oauth/jwks',
} as const

/** The page where the person decides on an authorization request. */
export const interactionPath = '/oauth/interaction/'

/** The authorization server metadata (RFC 8414). */
export function serverMetadata({ issuer, baseUrl }: OAuthAddresses): Record<string, unknown> {
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

/** The paths of the metadata: that of RFC 8414, and that below the issuer's path, which some clients use. */
export function serverMetadataPaths(issuer: string): string[] {
  const wellKnown = '/.well-known/oauth-authorization-server'
  const path = new URL(issuer).pathname.replace(/\/$/, '')
  return [...new Set([wellKnown + path, path + wellKnown])]
}
