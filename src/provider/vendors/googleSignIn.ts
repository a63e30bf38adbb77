import { signedJwt } from '#provider/form/authorization.ts'
import { parseJsonObject } from '#provider/form/jsonObject.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import type { SecretSpec } from '#provider/form/secret.ts'
import { epochSeconds } from '#provider/form/time.ts'
import type { TokenRequest } from '#provider/form/tokenRequest.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'

const tokenUrl = 'https://oauth2.googleapis.com/token'

/** The used fields of a service account key file. Undefined for any other text. */
function serviceAccountOf(text: string): { client_email: string; private_key: string } | undefined {
  const { client_email, private_key } = parseJsonObject(text) ?? {}
  const isKey = typeof client_email === 'string' && typeof private_key === 'string'
  return isKey && private_key.includes('PRIVATE KEY') ? { client_email, private_key } : undefined
}

/** The `check` of a variable that holds a service account key file. */
export const serviceAccountCheck = (text: string): string | undefined =>
  serviceAccountOf(text) ? undefined : 'Write the whole JSON key file of the service account.'

/** The project in a service account key file. Undefined if the text is not such a file or names no project. */
export function serviceAccountProject(text: string): string | undefined {
  const project = parseJsonObject(text)?.project_id
  return typeof project === 'string' ? project : undefined
}

/** The credentials for an access token: an OAuth client with a refresh token, or a service account key file. */
type GoogleAccess = {
  clientId?: string | undefined
  clientSecret?: string | undefined
  refreshToken?: string | undefined
  serviceAccount?: string | undefined
}

/** The request for an access token. It ignores the `token_uri` of the key file. Throws for an invalid private key. */
export function googleTokenRequest(access: GoogleAccess, scope: string, now: number): RequestSpec {
  const account = access.serviceAccount && serviceAccountOf(access.serviceAccount)
  if (!account) {
    const { clientId, clientSecret, refreshToken } = access
    const form = { grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret }
    return { url: tokenUrl, form: { ...form, refresh_token: refreshToken } }
  }
  const iat = epochSeconds(now)
  const claims = { iss: account.client_email, scope, aud: tokenUrl, iat, exp: iat + 3_600 }
  const assertion = signedJwt(claims, { rs256: account.private_key })
  return { url: tokenUrl, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } }
}

type Variables<P extends string> = {
  readonly [K in
    | `${P}_CLIENT_ID`
    | `${P}_CLIENT_SECRET`
    | `${P}_REFRESH_TOKEN`
    | `${P}_SERVICE_ACCOUNT_JSON`]: SecretSpec & {
    optional: true
  }
}

/**
 * The variables, credential sets and token request for one scope of Google, by OAuth or a service account. `prefix`:
 * the prefix of the variables.
 */
export function googleSignIn<const P extends string>(prefix: P, scope: string) {
  const secrets = {
    [`${prefix}_CLIENT_ID`]: identifier('OAuth client ID', 'Google Cloud console, Google Auth Platform, Clients.', {
      optional: true,
      helpLink: 'https://developers.google.com/identity/protocols/oauth2/web-server',
    }),
    [`${prefix}_CLIENT_SECRET`]: password('OAuth client secret', 'Shown when the client is made.', optional),
    [`${prefix}_REFRESH_TOKEN`]: password(
      'Refresh token',
      `For the scope ${scope}. Publish the consent screen: while it is in testing, tokens die after 7 days.`,
      optional,
    ),
    [`${prefix}_SERVICE_ACCOUNT_JSON`]: text(
      'Service account key',
      'Instead of the three above: IAM, Service accounts, Keys, the JSON file. Give its address access to the account.',
      { optional: true, sensitive: true, check: serviceAccountCheck },
    ),
  } as Variables<P>
  const given = (all: Readonly<Record<string, string | undefined>>) => ({
    clientId: all[`${prefix}_CLIENT_ID`],
    clientSecret: all[`${prefix}_CLIENT_SECRET`],
    refreshToken: all[`${prefix}_REFRESH_TOKEN`],
    serviceAccount: all[`${prefix}_SERVICE_ACCOUNT_JSON`],
  })
  return {
    secrets,
    credentialSets: [
      [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`, `${prefix}_REFRESH_TOKEN`],
      [`${prefix}_SERVICE_ACCOUNT_JSON`],
    ],
    tokenRequest: { request: (all, now) => googleTokenRequest(given(all), scope, now) } satisfies TokenRequest<
      Variables<P>
    >,
  } as const
}
