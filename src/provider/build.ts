import type { EventData, Item, TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { theirName } from './events.ts'
import { type Identity, resolve } from './identity.ts'
import { eventValue } from './money.ts'
import { type Contacts, holds, rawContacts, withoutContacts } from './privacy.ts'
import type { Captured, Dispatch, Provider, Send, Skip } from './provider.ts'
import { readEvent } from './read.ts'
import { canSignIn, declaredSecrets } from './secrets.ts'
import type { WireRequest } from './send.ts'
import { wireOf } from './wire.ts'

export { theirName } from './events.ts'
export { missingSecrets } from './secrets.ts'

/** What a provider's requests are made of. */
export type BuildInput = {
  event: TagEvent
  /** The event is what became known of a person. */
  kind?: 'user'
  /** `identityOf(person)`, made once per event for all its channels. */
  identity: Identity
  captured: Captured
  /** The person's custom keys. */
  custom?: Readonly<Record<string, unknown>>
  purchaseValueMode: ValueMode
  /** Plaintexts by variable; an empty one counts as unset. */
  secrets: Readonly<Record<string, string>>
  /** What the step `before` fetched. Without it the requests show where it would stand. */
  token?: string
  /** For the vendor's own test mode. */
  test?: true
  /** The clock, epoch ms. */
  now: number
}
export type Built = { requests: WireRequest[] } | Skip

/** Stands for a token that was not fetched. */
export const noToken = '{token}'

export const isTooOld = ({ maxAgeMs }: Provider, timestamp: number, now: number): boolean =>
  maxAgeMs !== undefined && now - timestamp > maxAgeMs

function isKnown(
  { requires }: Provider,
  user: Readonly<Record<string, string | undefined>>,
  captured: Captured,
): boolean {
  const has = (sign: string) =>
    sign.startsWith('captured.') ? Boolean(captured[sign.slice('captured.'.length)]?.value) : Boolean(user[sign])
  return !requires || requires.some((signs) => [signs].flat().every(has))
}

const empty: EventData = Object.freeze({})
const nothing: readonly Item[] = Object.freeze([])

/** What nearly every provider reads of an event's data. */
function bought({ eventId, data = empty }: TagEvent) {
  const { contents: items = nothing, orderId = eventId, discounts } = data
  const coupon = discounts?.[0]?.code
  return { data, items, orderId, ...(coupon !== undefined && { coupon }) }
}

/** Requests that are described and not yet written; `contacts` finds what must not stand in them. */
export type Described = { sends: readonly Send[]; contacts: Contacts | undefined }

/** The requests by which a provider is told of an event, described; or why it is not told. */
export function describeRequests(id: string, provider: Provider, input: BuildInput): Described | Skip {
  const { event, payload } = readEvent(input.event)
  const secrets = declaredSecrets(id, provider, input.secrets)
  const name = input.kind ?? theirName(provider, event.eventName, secrets)
  if (name === undefined) return { skipped: provider.mapping ? 'filtered' : 'eventNotSupported' }
  if (isTooOld(provider, event.timestamp, input.now)) return { skipped: 'tooOld' }
  // an optional variable can be unset later
  if (!canSignIn(provider, secrets)) return { skipped: 'keyRejected' }
  const user = resolve(provider.user, input.identity)
  if (!isKnown(provider, user, input.captured)) return { skipped: 'identityMissing' }
  const contacts = rawContacts(input.identity.person, provider.user)
  const value = eventValue(event, input.purchaseValueMode)
  const dispatch: Dispatch = Object.freeze({
    kind: input.kind ?? 'tag',
    event: withoutContacts(event, contacts),
    ...bought(event),
    payload,
    user,
    custom: input.custom ? Object.freeze({ ...input.custom }) : empty,
    captured: Object.freeze({ ...input.captured }),
    token: provider.before ? (input.token ?? noToken) : '',
    now: input.now,
    ...(value !== undefined && { value }),
  })
  const told = provider.request(dispatch, secrets, name)
  if ('skipped' in told) return told
  const sends = [told].flat()
  return { sends: input.test ? forTest(provider, sends, secrets) : sends, contacts }
}

/** None where the vendor has no test mode for one of them: half an event is no test. */
function forTest({ test }: Provider, sends: readonly Send[], secrets: Readonly<Record<string, string>>): Send[] {
  const tests = sends.flatMap((send) => test?.(send, secrets) ?? [])
  return tests.length === sends.length ? tests : []
}

/** The requests by which a provider is told of an event, as they go over the wire; or why it is not told. */
export function buildRequests(id: string, provider: Provider, input: BuildInput): Built {
  const described = describeRequests(id, provider, input)
  if ('skipped' in described) return described
  const { sends, contacts } = described
  const requests = sends.map((send) => wireOf(send, input.now))
  const leaks = contacts && requests.some((request) => holds(request, contacts))
  return leaks ? { skipped: 'payloadRefused' } : { requests }
}
