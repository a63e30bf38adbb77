import type { TagEvent } from '#contract/event.ts'
import { isStandardEvent, standardEvents } from '#contract/standardEvents.ts'
import { e164Of } from '#provider/form/phone.ts'
import type { RuleKey } from '#provider/form/userRule.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { checked } from './findingBits.ts'
import type { MatchedEvent } from './matchKeyReaders.ts'
import { isForeignPage } from './pageDomain.ts'
import { addressText, clickNames, clickText, personText, phoneText, userAgentText } from './valueFaults.ts'

/** An event as it was delivered. `isCallerAddress`: a server sent its own address as that of the person. */
export type CheckedEvent = MatchedEvent & { event: TagEvent; isCallerAddress?: true }

/** What is checked of an event, beside the event itself: keys of the person, and names of captured values. */
const personKeys = ['email', 'phone', 'firstName', 'lastName', 'customerId', 'ip', 'userAgent'] as const
type PersonKey = (typeof personKeys)[number]
const isPersonKey = (key: string): key is PersonKey => (personKeys as readonly string[]).includes(key)

/** What is checked for a match key; undefined for a key without a check. */
export function checkOf({ key, vendorKey }: { key: RuleKey | 'captured' | 'app'; vendorKey: string }) {
  if (key === 'captured') return clickNames.has(vendorKey) ? vendorKey : undefined
  if (key === 'anyStableId') return 'customerId'
  return isPersonKey(key) ? key : undefined
}

const valueEvents: ReadonlySet<string> = new Set(
  Object.entries(standardEvents).flatMap(([name, fields]) =>
    (fields as readonly string[]).includes('value') && name !== 'RemoveFromCart' ? [name] : [],
  ),
)

const isAboveZero = (value: unknown): boolean =>
  typeof value === 'number'
    ? value > 0
    : typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) && Number(value) > 0
const isCurrency = (value: unknown): boolean => typeof value === 'string' && /^[A-Z]{3}$/i.test(value.trim())

/** What is wrong with the event itself. */
function eventBits({ eventName, data, pageUrl }: TagEvent, tag: PageOwner): number {
  let bits = 0
  if (isStandardEvent(eventName) && valueEvents.has(eventName)) {
    bits |= isAboveZero(data?.value) ? checked('value') : checked('value', 'VALUE_ZERO')
    if (!isCurrency(data?.currency)) bits |= checked('value', 'CURRENCY_MISSING')
  }
  if (eventName === 'Purchase') bits |= data?.orderId ? checked('order') : checked('order', 'DEDUP_KEY_MISSING')
  if (typeof pageUrl === 'string' && pageUrl)
    bits |= isForeignPage(pageUrl, tag) ? checked('page', 'FOREIGN_PAGE') : checked('page')
  return bits
}

function personBits(key: PersonKey, { identity: { person }, isCallerAddress }: CheckedEvent): number {
  const raw = person[key]
  if (typeof raw !== 'string' || raw.trim() === '') return 0
  if (key === 'ip') return addressText(raw, isCallerAddress === true)
  if (key === 'userAgent') return userAgentText(raw)
  return key === 'phone' ? personText(raw) | phoneText(raw, e164Of(raw, person)) : personText(raw)
}

function capturedBits(name: string, { captured, event }: CheckedEvent): number {
  const value = captured[name]
  return value?.value ? clickText(name, value, event.timestamp) : 0
}

type PageOwner = Pick<Snapshot, 'domain' | 'hosts' | 'allowedOrigins'>

const knownEvents = new WeakMap<TagEvent, number>()
const known = new WeakMap<MatchedEvent['identity'], Map<string, number>>()

/**
 * The bits of what was checked and found (`findingBits.ts`) for one check; `''` checks the event itself. Each check of the
 * person is made once for all channels; captured values may differ between channels.
 */
export function faultsOf(check: string, checkedEvent: CheckedEvent, tag: PageOwner): number {
  if (check === '') {
    const ready = knownEvents.get(checkedEvent.event) ?? eventBits(checkedEvent.event, tag)
    knownEvents.set(checkedEvent.event, ready)
    return ready
  }
  if (!isPersonKey(check)) return capturedBits(check, checkedEvent)
  const ofEvent = known.get(checkedEvent.identity) ?? new Map<string, number>()
  known.set(checkedEvent.identity, ofEvent)
  const made = ofEvent.get(check)
  if (made !== undefined) return made
  const bits = personBits(check, checkedEvent)
  ofEvent.set(check, bits)
  return bits
}
