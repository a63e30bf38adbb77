import type { EventData, EventItem, TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { appIds } from '#provider/form/appIds.ts'
import { type ConsentSignals, unknownConsent } from '#provider/form/consentSignals.ts'
import { eventValue } from '#provider/form/money.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues, EventSession, RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { type ContactMatcher, containsContact, rawContacts, redactContacts, sentFields } from './contacts.ts'
import type { Identity } from './identity.ts'
import { maxSteps, type NextStep, type StepResults } from './nextStep.ts'
import { parseEvent } from './parseEvent.ts'
import { hasCredentialSet, secretValues } from './secretValues.ts'
import { toWireRequest } from './toWireRequest.ts'
import { listedEventOf, vendorEventName } from './vendorEventName.ts'
import type { WireRequest } from './wireRequest.ts'

/** The input of a provider's requests for one event. */
export type BuildInput = {
  event: TagEvent
  /** Set for an update of a person's known values. */
  kind?: 'user'
  /** `identityOf(person)`, shared by all channels of the event. */
  identity: Identity
  captured: CapturedValues
  session?: EventSession
  /** Default: all signals are `unknown`. */
  consent?: ConsentSignals
  /** The person's custom keys. */
  custom?: Readonly<Record<string, unknown>>
  purchaseValueMode: ValueMode
  /** Plaintexts by variable. An empty text means that the variable is not set. */
  secrets: Readonly<Record<string, string>>
  /** The access token. Without it the requests hold `tokenPlaceholder`. */
  token?: string
  /** The results of the steps of earlier attempts. */
  stepResults?: StepResults
  /** Builds the requests for the vendor's test mode. */
  testMode?: true
  /** When the requests are built: epoch ms. */
  now: number
}
/** `nextStep`: set if the event is sent in steps. `requests` then holds the next step. */
export type BuiltRequests = { requests: WireRequest[]; nextStep?: NextStep } | Skip

/** Used where no token was requested. */
const tokenPlaceholder = '{token}'

export const isTooOld = ({ maxAgeMs }: Provider, timestamp: number, now: number): boolean =>
  maxAgeMs !== undefined && now - timestamp > maxAgeMs

/** Whether a value of this name was captured. A `*` in the name stands for any text. */
function isCaptured(name: string, captured: CapturedValues): boolean {
  const [before = '', after] = name.split('*', 2)
  if (after === undefined) return Boolean(captured[name]?.value)
  return Object.keys(captured).some((each) => each.startsWith(before) && each.endsWith(after) && captured[each]?.value)
}

/** The values that can identify a person to a provider. */
type Signs = Parameters<typeof appIds>[0] & { user: Readonly<Record<string, string | undefined>> }

function isKnown({ requires }: Provider, signs: Signs): boolean {
  const has = (sign: string) => {
    const [, place, name = ''] = /^(captured|app)\.(.*)$/.exec(sign) ?? []
    if (place === 'captured') return isCaptured(name, signs.captured)
    return place === 'app' ? name in appIds(signs, [name]) : Boolean(signs.user[sign])
  }
  return !requires || requires.some((together) => [together].flat().every(has))
}

/** Clocks of pages and servers may differ by this much. */
const clockSkewMs = 3_600_000

/** The values captured within the provider's click window before the event, or at most `clockSkewMs` after it. */
function inClickWindow({ clickWindowMs }: Provider, captured: CapturedValues, timestamp: number): CapturedValues {
  if (clickWindowMs === undefined) return captured
  const isIn = (at: number) => timestamp - at <= clickWindowMs && at - timestamp <= clockSkewMs
  return Object.fromEntries(Object.entries(captured).filter(([, { at }]) => isIn(at)))
}

const empty: EventData = Object.freeze({})
const nothing: readonly EventItem[] = Object.freeze([])

/** The fields of an event's data that most providers read. */
function commerceFields({ eventId, data = empty }: TagEvent) {
  const { contents: items = nothing, orderId = eventId, discounts } = data
  const coupon = discounts?.[0]?.code
  return { data, items, orderId, ...(coupon !== undefined && { coupon }) }
}

/** Replaces a synonym in `eventName` by the name that the provider lists. */
function withListedName(provider: Provider, event: TagEvent): TagEvent {
  const { eventName } = event
  const listed = listedEventOf(provider, eventName)
  return listed && listed !== eventName ? Object.freeze({ ...event, eventName: listed }) : event
}

/** Requests, or steps, before they are encoded. `contacts` finds personal values that the requests must not contain. */
type DescribedRequests = { contacts: ContactMatcher | undefined } & (
  | { sends: readonly RequestSpec[] }
  | { nextStep: NextStep }
)

/** The requests for an event before they are encoded; or why it is not sent. */
export function describeRequests(id: string, provider: Provider, input: BuildInput): DescribedRequests | Skip {
  const parsed = parseEvent(input.event)
  const event = withListedName(provider, parsed.event)
  const secrets = secretValues(id, provider, input.secrets)
  const name = input.kind ?? vendorEventName(provider, event.eventName, secrets)
  if (name === undefined) return { skipped: provider.eventMapping ? 'filtered' : 'eventNotSupported' }
  if (isTooOld(provider, event.timestamp, input.now)) return { skipped: 'tooOld' }
  // Customers can remove optional variables after a script was written.
  if (!hasCredentialSet(provider, secrets)) return { skipped: 'keyRejected' }
  const contacts = rawContacts(input.identity.person, provider.user)
  const user = sentFields(provider.user, input.identity)
  const captured = inClickWindow(provider, input.captured, event.timestamp)
  const { consent = unknownConsent, custom = empty } = input
  if (!isKnown(provider, { user, captured, custom, consent, data: event.data ?? empty }))
    return { skipped: 'identityMissing' }
  const value = eventValue(event, input.purchaseValueMode)
  const context: RequestContext = Object.freeze({
    kind: input.kind ?? 'tag',
    event: redactContacts(event, contacts),
    ...commerceFields(event),
    payload: parsed.payload,
    user,
    custom: Object.freeze({ ...custom }),
    captured: Object.freeze({ ...captured }),
    consent,
    token: provider.tokenRequest ? (input.token ?? tokenPlaceholder) : '',
    now: input.now,
    ...(value !== undefined && { value }),
    ...(input.session && { session: input.session }),
  })
  const described = provider.request(context, secrets, name)
  if ('skipped' in described) return described
  const toTest = (spec: RequestSpec) => (input.testMode ? provider.toTestMode?.(spec, secrets) : spec)
  if ('next' in described) return { nextStep: stepBuilder(described, toTest, contacts, input.now), contacts }
  const sends: readonly RequestSpec[] = Array.isArray(described) ? described : [described]
  if (!input.testMode) return { sends, contacts }
  const ready = sends.flatMap((send) => toTest(send) ?? [])
  // If one of several requests has no test mode, no request is sent.
  return { sends: ready.length === sends.length ? ready : [], contacts }
}

/** Encodes each step only when the step is next. */
const stepBuilder =
  (
    steps: RequestSteps,
    toTest: (spec: RequestSpec) => RequestSpec | undefined,
    contacts: ContactMatcher | undefined,
    now: number,
  ): NextStep =>
  (results) => {
    const step = steps.next(results)
    if (!step || 'skipped' in step) return step
    if (results.length >= maxSteps) throw new Error(`a provider made more than ${maxSteps} steps`)
    const spec = toTest(step)
    if (!spec) return undefined
    const request = toWireRequest(spec, now)
    if (contacts && containsContact(request, contacts)) return { skipped: 'payloadRefused' }
    const { resultPath, responseRules = [] } = step
    return { request, responseRules, ...(resultPath !== undefined && { resultPath }) }
  }

/** The requests for an event as they are sent; or why it is not sent. */
export function buildRequests(id: string, provider: Provider, input: BuildInput): BuiltRequests {
  const described = describeRequests(id, provider, input)
  if ('skipped' in described) return described
  if ('nextStep' in described) return firstStep(described.nextStep, input)
  const { sends, contacts } = described
  const requests = sends.map((send) => toWireRequest(send, input.now))
  const leaks = contacts && requests.some((request) => containsContact(request, contacts))
  return leaks ? { skipped: 'payloadRefused' } : { requests }
}

/** The step that is sent next. */
export function firstStep(nextStep: NextStep, { stepResults = [] }: BuildInput): BuiltRequests {
  const step = nextStep(stepResults)
  if (step && 'skipped' in step) return step
  return { requests: step ? [step.request] : [], nextStep }
}
