import { parseEventMapping } from '#provider/form/eventMapping.ts'
import { totalQuantity } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { optional, text } from '#provider/form/variables.ts'

/** The value of one field of an event, as vendors with flat columns take it. */
export type FlatValue = string | number | boolean

export const isFlat = (value: unknown): value is FlatValue => ['string', 'number', 'boolean'].includes(typeof value)

/** `a,b`: the texts that are there; undefined where none is. */
export const joinedTexts = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.filter(Boolean).join(',') || undefined

/** The fields of an event that can be mapped besides the members of its `data`. */
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
 * One field of an event: a field of `user`, one of those above, or a member of its `data` that is text, a number or a
 * boolean.
 */
function fieldOf(context: RequestContext, field: string): FlatValue | undefined {
  if (Object.hasOwn(context.user, field)) return context.user[field]
  if (Object.hasOwn(ownFields, field)) return ownFields[field]!(context)
  const value = Object.hasOwn(context.data, field) ? context.data[field] : undefined
  return isFlat(value) ? value : undefined
}

const nameOfPerson = /^user[A-Z]/

/**
 * The values of an event under the vendor's names of the `mapping`. Fields that the event does not have are omitted.
 */
export function mappedFields(context: RequestContext, mapping: string): Record<string, FlatValue> {
  const pairs = [...(parseEventMapping(mapping) ?? [])]
  const fields = pairs.map(([field, name]) => [name, nameOfPerson.test(field) ? undefined : fieldOf(context, field)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

const fieldNames = Object.keys(ownFields).join(', ')

/**
 * The variable with which the customer says which field of an event goes to which field of the vendor. `where`: where
 * the vendor's names are found.
 */
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
