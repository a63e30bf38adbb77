import { consentKey } from '#consent/text/consentKey.ts'
import { textNotes } from '#consent/text/textNotes.ts'
import { customerIdOf } from '#contract/customerId.ts'
import { EventData, EventPayload, type TagEvent } from '#contract/event.ts'
import { userFields } from '#contract/standardKeys.ts'
import { unknownProviderNames } from './providerSelection.ts'

/** The number of warnings of one event, and the length of a name in them: both bound the response. */
const maxWarnings = 5
const maxNameLength = 100

/** The fields that an event may have at its top. A trusted call may also send `ip`. */
export const eventFields: ReadonlySet<string> = new Set([
  ...Object.keys(EventPayload.properties),
  ...userFields.map(([, field]) => field),
  'ip',
])

/** Where a name that stands at the top by mistake belongs. `Service` is replaced by the brand of the installation. */
const places: ReadonlyMap<string, string> = new Map([
  ['consent', 'consent belongs at storage.service.consent'],
  ['consentCategories', 'consent belongs at storage.service.consentCategories'],
  ['userId', 'a user id belongs in the header ServiceUserId'],
  ['contents', 'products belong in data.contents'],
  ['email', 'an e-mail belongs in userEmail'],
  ...Object.keys(EventData.properties).map((key) => [key, `event data belongs in data.${key}`] as const),
])

/** A name without case, `_` and `-`, as misspellings differ. */
const simplified = (name: string) => name.toLowerCase().replace(/[_-]/g, '')
const bySimpleName: ReadonlyMap<string, string> = new Map([...eventFields].map((name) => [simplified(name), name]))

function hintFor(name: string, brand: string): string {
  const place = places.get(name)
  if (place) return `: ${place.replace('storage.service', `storage.${consentKey(brand)}`).replace('Service', brand)}`
  const meant = bySimpleName.get(simplified(name))
  return meant ? `: did you mean ${meant}?` : '; it is kept and passed on, and nothing here reads it'
}

const quoted = (name: string) => JSON.stringify(name.slice(0, maxNameLength))

/** What the source of an event could not map. An event of `POST /tag` may hold anything in this field. */
function sourceNotes({ source }: TagEvent): string[] {
  const notes = (source as { notes?: unknown } | null | undefined)?.notes
  return Array.isArray(notes) ? notes.flatMap((note) => (typeof note === 'string' ? note.slice(0, 300) : [])) : []
}

const isUnusable = (value: unknown) => value !== undefined && value !== null && customerIdOf(value) === undefined

/** A customer id that is none. `inData`: of an update of user data, whose `data` holds the keys by their own names. */
export function customerIdWarning({ userCustomerId, data, storage }: TagEvent, inData = false): string | undefined {
  const kv = storage?.kv as { customerId?: unknown } | null | undefined
  const given = [userCustomerId, data?.userCustomerId, kv?.customerId, inData ? data?.customerId : undefined]
  return given.some(isUnusable)
    ? 'its customer id is a placeholder, too long, or not a text or whole number: it is ignored'
    : undefined
}

/**
 * What an accepted event brings that its sender probably did not mean: unknown names of providers, and fields at its
 * top that are no fields of an event, and consent texts that are not obeyed as they stand. At most 5 sentences. They hold names and no values.
 */
export function eventWarnings(event: TagEvent, brand: string): string[] {
  const warnings: string[] = []
  if (event.providers !== undefined)
    for (const name of unknownProviderNames(event.providers).slice(0, maxWarnings))
      warnings.push(`providers names ${quoted(name)}, which is no provider`)
  if (event.storage !== undefined) warnings.push(...textNotes(event, consentKey(brand)))
  const customerId = customerIdWarning(event)
  if (customerId) warnings.push(customerId)
  if (event.source !== undefined) warnings.push(...sourceNotes(event).slice(0, maxWarnings))
  for (const name in event) {
    if (warnings.length >= maxWarnings) break
    if (!eventFields.has(name))
      warnings.push(`${quoted(name)} is no field of an event${hintFor(name.slice(0, maxNameLength), brand)}`)
  }
  return warnings.slice(0, maxWarnings)
}
