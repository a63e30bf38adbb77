import { signedJwt } from './authorization.ts'
import type { Send } from './provider.ts'
import { seconds } from './time.ts'

const tokenUrl = 'https://oauth2.googleapis.com/token'

/** The key file of a service account, as Google hands it out; undefined where the text is none. */
function serviceAccountOf(text: string): { client_email: string; private_key: string } | undefined {
  try {
    const { client_email, private_key } = JSON.parse(text) as Record<string, unknown>
    const isKey = typeof client_email === 'string' && typeof private_key === 'string'
    return isKey && private_key.includes('PRIVATE KEY') ? { client_email, private_key } : undefined
  } catch {
    return undefined
  }
}

/** For the `check` of a variable that holds such a file. */
export const serviceAccountCheck = (text: string): string | undefined =>
  serviceAccountOf(text) ? undefined : 'Write the whole JSON key file of the service account.'

/** Who asks Google for a token: a user who agreed once (OAuth), or a service account. */
export type GoogleAccess = {
  clientId?: string | undefined
  clientSecret?: string | undefined
  refreshToken?: string | undefined
  serviceAccount?: string | undefined
}

/** The request for an access token. It goes to Google whatever the key file says. Throws where the private key is none. */
export function googleToken(access: GoogleAccess, scope: string, now: number): Send {
  const account = access.serviceAccount && serviceAccountOf(access.serviceAccount)
  if (!account) {
    const { clientId, clientSecret, refreshToken } = access
    const form = { grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret }
    return { url: tokenUrl, form: { ...form, refresh_token: refreshToken } }
  }
  const iat = seconds(now)
  const claims = { iss: account.client_email, scope, aud: tokenUrl, iat, exp: iat + 3_600 }
  const assertion = signedJwt(claims, { rs256: account.private_key })
  return { url: tokenUrl, form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } }
}
