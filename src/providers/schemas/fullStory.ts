import { uuid5 } from '#provider/form/ids.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { CapturedValues, RequestContext, RequestSpec } from '#provider/form/request.ts'
import { percentDecoded } from '#provider/form/url.ts'

/** The session in the cookie `#<org>#<user>:<session>:…` (from public implementations, not documented). */
export function sessionId({ fs_uid }: CapturedValues): string | undefined {
  const [, user, session] = /#[^#]*#([^#:/]+):([^#:/]+)/.exec(percentDecoded(fs_uid?.value ?? '')) ?? []
  return user && session ? `${user}:${session}` : undefined
}

/** Where the event happened. */
export function contextOf(event: RequestContext['event'], { ip, ua }: { ip?: string; ua?: string }) {
  const browser = unlessEmpty({ url: event.pageUrl, user_agent: ua, initial_referrer: event.referrer })
  const location = unlessEmpty({ ip_address: ip })
  return unlessEmpty({ browser, location })
}

/** The import of several events. The same events have the same key. */
export function jobOf(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests
  const keys = requests.map(({ headers }) => headers?.['idempotency-key'])
  const headers = { ...first!.headers, 'idempotency-key': uuid5(keys.join('\n')) }
  return { url: `${first!.url}/batch`, headers, json: { requests: requests.map(({ json }) => json) } }
}
