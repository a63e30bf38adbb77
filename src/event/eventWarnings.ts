import { consentKey } from '#consent/text/consentKey.ts'
import { textNotes } from '#consent/text/textNotes.ts'
import { customerIdOf } from '#contract/customerId.ts'
import { EventData, EventPayload, type TagEvent } from '#contract/event.ts'
import { userFields } from '#contract/standardKeys.ts'
import { unknownProviderNames } from './providerSelection.ts'

/** The maximum warnings per event, and the maximum length of a name in them. Both bound the response. */
const maxWarnings = 5
const maxNameLength = 100

/** The fields that are allowed at the top level of an event. A trusted call may also send `ip`. */
export const eventFields: ReadonlySet<string> = new Set([
  ...Object.keys(EventPayload.properties),
  ...userFields.map(([, field]) => field),
  'ip',
])

/**
 * The correct place of fields that are at the top level by mistake. `Service` is replaced by the brand of the
 * installation.
 */
const places: ReadonlyMap<string, string> = new Map([
  ['consent', 'consent belongs at storage.service.consent'],
  ['consentCategories', 'consent belongs at storage.service.consentCategories'],
  ['userId', 'a user id belongs in the header ServiceUserId'],
  ['contents', 'products belong in data.contents'],
  ['email', 'an e-mail belongs in userEmail'],
  ...Object.keys(EventData.properties).map((key) => [key, `event data belongs in data.${key}`] as const),
])

/** A name without case, `_` and `-`, to match misspellings. */
const simplified = (name: string) => name.toLowerCase().replace(/[_-]/g, '')
const bySimpleName: ReadonlyMap<string, string> = new Map([...eventFields].map((name) => [simplified(name), name]))

function hintFor(name: string, brand: string): string {
  const place = places.get(name)
  if (place) return `: ${place.replace('storage.service', `storage.${consentKey(brand)}`).replace('Service', brand)}`
  const meant = bySimpleName.get(simplified(name))
  return meant ? `: did you mean ${meant}?` : '; it is stored and passed on, but Aglet does not use it'
}

const quoted = (name: string) => JSON.stringify(name.slice(0, maxNameLength))

/** What the source of an event could not map. An event of `POST /tag` may have any value in this field. */
function sourceNotes({ source }: TagEvent): string[] {
  const notes = (source as { notes?: unknown } | null | undefined)?.notes
  return Array.isArray(notes) ? notes.flatMap((note) => (typeof note === 'string' ? note.slice(0, 300) : [])) : []
}

const isUnusable = (value: unknown) => value !== undefined && value !== null && customerIdOf(value) === undefined

/**
 * A warning about an invalid customer id. `inData`: the event updates user data, and its `data` has the keys under
 * their own names.
 */
export function customerIdWarning({ userCustomerId, data, storage }: TagEvent, inData = false): string | undefined {
  const kv = storage?.kv as { customerId?: unknown } | null | undefined
  const given = [userCustomerId, data?.userCustomerId, kv?.customerId, inData ? data?.customerId : undefined]
  return given.some(isUnusable)
    ? 'its customer id is ignored: it is a placeholder, too long, or neither a text nor an integer'
    : undefined
}

/**
 * What the sender of an accepted event probably did not intend: unknown provider names, unknown top-level fields, and
 * consent texts that cannot be applied as sent. At most 5 sentences, with names but no values.
 */
export function eventWarnings(event: TagEvent, brand: string): string[] {
  const warnings: string[] = []
  if (event.providers !== undefined)
    for (const name of unknownProviderNames(event.providers).slice(0, maxWarnings))
      warnings.push(`providers names ${quoted(name)}, which is not a provider`)
  if (event.storage !== undefined) warnings.push(...textNotes(event, consentKey(brand)))
  const customerId = customerIdWarning(event)
  if (customerId) warnings.push(customerId)
  if (event.source !== undefined) warnings.push(...sourceNotes(event).slice(0, maxWarnings))
  for (const name in event) {
    if (warnings.length >= maxWarnings) break
    if (!eventFields.has(name))
      warnings.push(`${quoted(name)} is not a field of an event${hintFor(name.slice(0, maxNameLength), brand)}`)
  }
  return warnings.slice(0, maxWarnings)
}
