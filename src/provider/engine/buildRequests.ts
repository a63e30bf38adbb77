import type { EventData, Item, TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { type ConsentSignals, unknownConsent } from '#provider/form/consentSignals.ts'
import { eventValue } from '#provider/form/money.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { type ContactMatcher, containsContact, rawContacts, redactContacts } from './contacts.ts'
import { type Identity, resolve } from './identity.ts'
import { parseEvent } from './parseEvent.ts'
import { hasCredentialSet, secretValues } from './secretValues.ts'
import { toWireRequest } from './toWireRequest.ts'
import { vendorEventName } from './vendorEventName.ts'
import type { WireRequest } from './wireRequest.ts'

/** What a provider's requests are made of. */
export type BuildInput = {
  event: TagEvent
  /** The event is what became known of a person. */
  kind?: 'user'
  /** `identityOf(person)`, made once per event for all its channels. */
  identity: Identity
  captured: CapturedValues
  /** Default: all are `unknown`. */
  consent?: ConsentSignals
  /** The person's custom keys. */
  custom?: Readonly<Record<string, unknown>>
  purchaseValueMode: ValueMode
  /** Plaintexts by variable; an empty one counts as unset. */
  secrets: Readonly<Record<string, string>>
  /** What the step `before` fetched. Without it the requests show where it would stand. */
  token?: string
  /** For the vendor's own test mode. */
  testMode?: true
  /** The clock, epoch ms. */
  now: number
}
export type BuiltRequests = { requests: WireRequest[] } | Skip

/** Stands for a token that was not fetched. */
export const tokenPlaceholder = '{token}'

export const isTooOld = ({ maxAgeMs }: Provider, timestamp: number, now: number): boolean =>
  maxAgeMs !== undefined && now - timestamp > maxAgeMs

/** Whether a value of this name was captured. A `*` in the name stands for any text. */
function isCaptured(name: string, captured: CapturedValues): boolean {
  const [before = '', after] = name.split('*', 2)
  if (after === undefined) return Boolean(captured[name]?.value)
  return Object.keys(captured).some((each) => each.startsWith(before) && each.endsWith(after) && captured[each]?.value)
}

function isKnown(
  { requires }: Provider,
  user: Readonly<Record<string, string | undefined>>,
  captured: CapturedValues,
): boolean {
  const has = (sign: string) =>
    sign.startsWith('captured.') ? isCaptured(sign.slice('captured.'.length), captured) : Boolean(user[sign])
  return !requires || requires.some((signs) => [signs].flat().every(has))
}

const empty: EventData = Object.freeze({})
const nothing: readonly Item[] = Object.freeze([])

/** What nearly every provider reads of an event's data. */
function commerceFields({ eventId, data = empty }: TagEvent) {
  const { contents: items = nothing, orderId = eventId, discounts } = data
  const coupon = discounts?.[0]?.code
  return { data, items, orderId, ...(coupon !== undefined && { coupon }) }
}

/** Requests that are described and not yet written; `contacts` finds what must not stand in them. */
export type DescribedRequests = { sends: readonly RequestSpec[]; contacts: ContactMatcher | undefined }

/** The requests by which a provider is told of an event, described; or why it is not told. */
export function describeRequests(id: string, provider: Provider, input: BuildInput): DescribedRequests | Skip {
  const { event, payload } = parseEvent(input.event)
  const secrets = secretValues(id, provider, input.secrets)
  const name = input.kind ?? vendorEventName(provider, event.eventName, secrets)
  if (name === undefined) return { skipped: provider.eventMapping ? 'filtered' : 'eventNotSupported' }
  if (isTooOld(provider, event.timestamp, input.now)) return { skipped: 'tooOld' }
  // an optional variable can be unset later
  if (!hasCredentialSet(provider, secrets)) return { skipped: 'keyRejected' }
  const user = resolve(provider.user, input.identity)
  if (!isKnown(provider, user, input.captured)) return { skipped: 'identityMissing' }
  const contacts = rawContacts(input.identity.person, provider.user)
  const value = eventValue(event, input.purchaseValueMode)
  const dispatch: RequestContext = Object.freeze({
    kind: input.kind ?? 'tag',
    event: redactContacts(event, contacts),
    ...commerceFields(event),
    payload,
    user,
    custom: input.custom ? Object.freeze({ ...input.custom }) : empty,
    captured: Object.freeze({ ...input.captured }),
    consent: input.consent ?? unknownConsent,
    token: provider.tokenRequest ? (input.token ?? tokenPlaceholder) : '',
    now: input.now,
    ...(value !== undefined && { value }),
  })
  const told = provider.request(dispatch, secrets, name)
  if ('skipped' in told) return told
  const sends = [told].flat()
  return { sends: input.testMode ? toTestModeAll(provider, sends, secrets) : sends, contacts }
}

/** None where the vendor has no test mode for one of them: half an event is no test. */
function toTestModeAll(
  { toTestMode }: Provider,
  sends: readonly RequestSpec[],
  secrets: Readonly<Record<string, string>>,
): RequestSpec[] {
  const tests = sends.flatMap((send) => toTestMode?.(send, secrets) ?? [])
  return tests.length === sends.length ? tests : []
}

/** The requests by which a provider is told of an event, as they go over the wire; or why it is not told. */
export function buildRequests(id: string, provider: Provider, input: BuildInput): BuiltRequests {
  const described = describeRequests(id, provider, input)
  if ('skipped' in described) return described
  const { sends, contacts } = described
  const requests = sends.map((send) => toWireRequest(send, input.now))
  const leaks = contacts && requests.some((request) => containsContact(request, contacts))
  return leaks ? { skipped: 'payloadRefused' } : { requests }
}
