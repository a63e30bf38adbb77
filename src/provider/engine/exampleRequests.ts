import type { TagEvent } from '#contract/event.ts'
import { type ConsentSignals, unknownConsent } from '#provider/form/consentSignals.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { Skip } from '#provider/form/request.ts'
import type { BuildInput } from './buildRequests.ts'
import { identityOf } from './identity.ts'
import { requestsWithReplies } from './requestsWithReplies.ts'
import type { WireRequest } from './wireRequest.ts'

/** When the event of an example happened (`exampleEventAt`) and is sent (`exampleNow`): epoch ms. */
export const exampleEventAt = 1_700_000_000_000
export const exampleNow = exampleEventAt + 1_000

/** Like a real consent decision: Google's two signals default to the value of advertising. */
function consentOf(given: Partial<ConsentSignals>): ConsentSignals {
  const { advertising = 'unknown' } = given
  return { ...unknownConsent, adUserData: advertising, adPersonalization: advertising, ...given }
}

/** The input that an example describes. */
export function exampleInput(example: Omit<ProviderExample, 'title' | 'sends'>): BuildInput {
  const { kind, event, user, custom, captured, session, consent, purchaseValueMode, secrets, testMode } = example
  const seen = Object.entries(captured ?? {}).map(([name, value]) => [name, { value, at: exampleEventAt }])
  return {
    event: { eventId: 'evt-1', timestamp: exampleEventAt, ...event } as TagEvent,
    identity: identityOf(user ?? {}),
    captured: Object.fromEntries(seen),
    ...(kind && { kind }),
    ...(session && { session }),
    ...(custom && { custom }),
    ...(consent && { consent: consentOf(consent) }),
    ...(testMode && { testMode }),
    purchaseValueMode: purchaseValueMode ?? 'gross',
    secrets: secrets as Record<string, string>,
    now: exampleNow,
  }
}

/** The requests of an example, the token request first. Throws if the example's reply refuses the token. */
export function exampleRequests(
  id: string,
  provider: Provider,
  example: Pick<ProviderExample, 'replies'>,
  input: BuildInput,
): WireRequest[] | Skip {
  const built = requestsWithReplies(id, provider, input, example.replies)
  if ('skipped' in built) return built
  if (built.tokenRefused) throw new Error(`${id}: the example is refused its token`)
  return built.requests
}

/** The body as examples show it: JSON as its value, NDJSON as a list, a form as its fields, any other body as text. */
export function bodyValue({ headers, body }: WireRequest): unknown {
  const type = headers['content-type'] ?? ''
  if (body === undefined) return undefined
  if (type === 'application/x-ndjson')
    return body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  if (/\bjson\b|-json-/.test(type)) return JSON.parse(body)
  return type === 'application/x-www-form-urlencoded' ? Object.fromEntries(new URLSearchParams(body)) : body
}

/** The sent request, in which each text that matches an expected pattern is replaced by that pattern. */
export function withMatchedPatterns(sent: unknown, expected: unknown): unknown {
  if (expected instanceof RegExp) return typeof sent === 'string' && expected.test(sent) ? expected : sent
  if (Array.isArray(sent) && Array.isArray(expected))
    return sent.map((each, at) => withMatchedPatterns(each, expected[at]))
  if (typeof sent !== 'object' || sent === null || typeof expected !== 'object' || expected === null) return sent
  const members = Object.entries(sent).map(([key, value]) => [
    key,
    withMatchedPatterns(value, (expected as typeof sent)[key as never]),
  ])
  return Object.fromEntries(members)
}
