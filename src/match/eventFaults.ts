import type { TagEvent } from '#contract/event.ts'
import { isStandardEvent, standardEvents } from '#contract/standardEvents.ts'
import { e164Of } from '#provider/form/phone.ts'
import type { RuleKey } from '#provider/form/userRule.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { checked } from './findingBits.ts'
import type { MatchedEvent } from './matchKeyReaders.ts'
import { type MatchNotes, type PersonCheck, personChecks } from './matchNotes.ts'
import { isForeignPage } from './pageDomain.ts'
import { addressText, clickNames, clickText, personText, phoneText, userAgentText } from './valueFaults.ts'

/** A delivered event. `isCallerAddress`: a server sent its own address as the address of the person. */
export type CheckedEvent = MatchedEvent & { isCallerAddress?: true; matchNotes?: MatchNotes }

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

/** The bits of the checks of the event itself. */
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

function personBits(key: PersonCheck, { identity: { person }, isCallerAddress }: CheckedEvent): number {
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

/** A check: of a value of the person, by its index in `personChecks`, or of a captured value, by its name. */
export type MatchCheck = number | string

/** The check of a match key; undefined for a key without one. */
export function checkOf({ key, vendorKey }: { key: RuleKey | 'captured' | 'app'; vendorKey: string }) {
  if (key === 'captured') return clickNames.has(vendorKey) ? vendorKey : undefined
  const place = personChecks.indexOf((key === 'anyStableId' ? 'customerId' : key) as PersonCheck)
  return place < 0 ? undefined : place
}

/** The bits (`findingBits.ts`) of one check: what was checked, and its fault if there is one. */
export function faultsOf(check: MatchCheck, checkedEvent: CheckedEvent, notes: MatchNotes): number {
  if (typeof check === 'string') return capturedBits(check, checkedEvent)
  const known = notes.personBits(check, checkedEvent.identity)
  if (known !== undefined) return known
  const bits = personBits(personChecks[check]!, checkedEvent)
  notes.setPersonBits(check, bits)
  return bits
}

/** The same for the event itself. */
export const eventFaults = ({ event }: CheckedEvent, tag: PageOwner, notes: MatchNotes): number =>
  notes.eventBits(event, (each) => eventBits(each, tag))
