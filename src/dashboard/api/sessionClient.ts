import { ApiError, type Client, client } from '#contract/client.ts'
import type { ErrorObject } from '#contract/errorObject.ts'

/** A response 429 or 503 with the time to wait. */
export class WaitError extends ApiError {
  readonly retryAfterS: number

  constructor(error: ErrorObject, retryAfterS: number) {
    super(error)
    this.retryAfterS = retryAfterS
  }
}

type CallOptions = {
  /** `/v1` or `/sandbox/v1` */
  apiPath: string
  /** `https://aglet.example.com` */
  origin: string
  teamId?: string
  signal?: AbortSignal | undefined
  /** Further request headers, such as `last-event-id`. */
  headers?: Record<string, string>
  fetch?: typeof fetch
}

const secondsOf = (response: Response) => Math.min(Number(response.headers.get('retry-after')) || 1, 600)

async function throwWait(response: Response): Promise<never> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorObject>
  const message = body.message ?? `The server answered ${response.status}.`
  throw new WaitError({ ...body, message, statusCode: response.status }, secondsOf(response))
}

/**
 * Adds the session to each call: its cookie, to this origin only; the header `Aglet-Session`, which other sites cannot
 * send; and the team, which each call with a session requires. Throws WaitError for 429 and 503.
 */
export function sessionFetch({ teamId, signal, headers, fetch: send = fetch }: CallOptions): typeof fetch {
  return async (input, init = {}) => {
    const team = teamId === undefined ? {} : { 'team-id': teamId }
    const all = { ...(init.headers as Record<string, string>), ...team, ...headers, 'aglet-session': '1' }
    const response = await send(input, {
      ...init,
      headers: all,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      ...(signal && { signal }),
    })
    return response.status === 429 || response.status === 503 ? throwWait(response) : response
  }
}

/** The control API as functions, with the session of the pages. */
export function calls(options: CallOptions): Client {
  const { apiPath, origin, teamId } = options
  return client({ baseUrl: origin + apiPath, fetch: sessionFetch(options), ...(teamId !== undefined && { teamId }) })
}

/**
 * Signs in by the pages' form, which sets the cookie, so that no script sees the session. Returns the message of a
 * refusal by its status; undefined when the person is signed in.
 */
export async function signIn(
  { apiPath, origin, fetch: send = fetch }: CallOptions,
  { email, password }: { email: string; password: string },
): Promise<'refused' | 'tooMany' | 'failed' | undefined> {
  const response = await send(`${origin}${apiPath}/account/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
    redirect: 'manual',
    credentials: 'same-origin',
  })
  if (response.type === 'opaqueredirect' || response.status === 303) return undefined
  if (response.status === 403 || response.status === 400) return 'refused'
  return response.status === 429 ? 'tooMany' : 'failed'
}

/** Ends the session and deletes its cookie. */
export async function signOut({ apiPath, origin, fetch: send = fetch }: CallOptions): Promise<void> {
  await send(`${origin}${apiPath}/account/sign-out`, { method: 'POST', redirect: 'manual', credentials: 'same-origin' })
}
