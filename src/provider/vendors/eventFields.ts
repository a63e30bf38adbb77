import { parseEventMapping } from '#provider/form/eventMapping.ts'
import { totalQuantity } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { optional, text } from '#provider/form/variables.ts'

/** The value of one event field, as vendors with flat columns accept it. */
export type FlatValue = string | number | boolean

export const isFlat = (value: unknown): value is FlatValue => ['string', 'number', 'boolean'].includes(typeof value)

/** Joins the texts that are present: `a,b`. Undefined if there are none. */
export const joinedTexts = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.filter(Boolean).join(',') || undefined

/** The event fields that can be mapped in addition to the members of `data`. */
const ownFields: Readonly<Record<string, (context: RequestContext) => FlatValue | undefined>> = {
  eventId: ({ event }) => event.eventId,
  eventName: ({ event }) => event.eventName,
  eventTime: ({ event }) => isoTime(event.timestamp),
  value: ({ value }) => value,
  coupon: ({ coupon }) => coupon,
  quantity: ({ items }) => totalQuantity(items),
  itemIds: ({ items }) => joinedTexts(items.map(({ id }) => id)),
  itemNames: ({ items }) => joinedTexts(items.map(({ title }) => title)),
  pageUrl: ({ event }) => event.pageUrl,
  pageTitle: ({ event }) => event.pageTitle,
  referrer: ({ event }) => event.referrer,
}

/**
 * One field of an event: a field of `user`, a field of `ownFields`, or a member of `data` that is a text, a number or a
 * boolean.
 */
function fieldOf(context: RequestContext, field: string): FlatValue | undefined {
  if (Object.hasOwn(context.user, field)) return context.user[field]
  if (Object.hasOwn(ownFields, field)) return ownFields[field]!(context)
  const value = Object.hasOwn(context.data, field) ? context.data[field] : undefined
  return isFlat(value) ? value : undefined
}

const nameOfPerson = /^user[A-Z]/

/** The event's values under the vendor's names in `mapping`. Fields that the event does not have are omitted. */
export function mappedFields(context: RequestContext, mapping: string): Record<string, FlatValue> {
  const pairs = [...(parseEventMapping(mapping) ?? [])]
  const fields = pairs.map(([field, name]) => [name, nameOfPerson.test(field) ? undefined : fieldOf(context, field)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

const fieldNames = Object.keys(ownFields).join(', ')

/** The variable that maps event fields to fields of the vendor. `where`: where the vendor shows its names. */
export const fieldMapping = (label: string, where: string, pairs: readonly (readonly [string, string])[]) =>
  text(
    label,
    `Pairs of a field of the event and ${where} Fields: the members of data that are text, numbers or booleans, and ${fieldNames}.`,
    {
      ...optional,
      default: JSON.stringify(pairs),
      check: (given: string) =>
        parseEventMapping(given)
          ? undefined
          : 'Write a JSON list of pairs: [["value", "amount"], ["orderId", "order"]].',
    },
  )
