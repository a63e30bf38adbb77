import { EventPayload, type TagEvent } from '#contract/event.ts'
import { isRecord } from '#contract/isRecord.ts'
import { amountOf } from '#provider/form/money.ts'

/** The part of JSON Schema that is used here: the types of the known fields. */
type Shape = { type?: string; items?: Shape; properties?: Record<string, Shape>; required?: string[] }

const fitText = (value: unknown) => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && /\S/.test(value) ? value : undefined
}

/** Converts a value to the type in a schema. Undefined if it cannot be converted. */
type Fit = (value: unknown) => unknown

/** Returns the same object if every member has its type, which is nearly always so. Required members are valid already. */
function objectFit({ properties = {}, required = [] }: Shape): Fit {
  const optional = Object.entries(properties).filter(([key]) => !required.includes(key))
  const fits = new Map(optional.map(([key, shape]) => [key, fitOf(shape)]))
  return (value) => {
    if (!isRecord(value)) return undefined
    let fitted = value
    for (const key of Object.keys(value)) {
      const fit = fits.get(key)
      const member = fit ? fit(value[key]) : value[key]
      if (Object.is(member, value[key])) continue
      if (fitted === value) fitted = { ...value }
      if (member === undefined) delete fitted[key]
      else fitted[key] = member
    }
    return fitted
  }
}

function listFit(items: Shape): Fit {
  const fit = fitOf(items)
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const fitted = value.map(fit)
    return fitted.every((each, at) => Object.is(each, value[at])) ? value : fitted.filter((each) => each !== undefined)
  }
}

/** A number becomes a text, a numeric text becomes a number. Undefined for other mismatches and for a blank text. */
function fitOf(shape: Shape): Fit {
  switch (shape.type) {
    case 'string':
      return fitText
    case 'number':
      return amountOf
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : undefined)
    case 'array':
      return listFit(shape.items ?? {})
    case 'object':
      return objectFit(shape)
    default:
      return (value) => value
  }
}

const fitEvent = objectFit(EventPayload as unknown as Shape)

/** Writes the currency as in ISO 4217: three capital letters. Any other text is removed. */
function withCurrencyCode(event: TagEvent): TagEvent {
  const { currency, ...data } = event.data ?? {}
  if (currency === undefined || /^[A-Z]{3}$/.test(currency)) return event
  const code = currency.trim().toUpperCase()
  return { ...event, data: /^[A-Z]{3}$/.test(code) ? { ...data, currency: code } : data }
}

/** Deep freeze. Uses Object.values: V8 deoptimises `for in` repeatedly for events of many shapes. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) freeze(each)
  return Object.freeze(value)
}

/** Removes `storage.kv`, which holds the raw personal keys. The Identity already has them. */
function withoutKeys(event: TagEvent): TagEvent {
  if (!isRecord(event.storage)) return { ...event }
  const { kv: _, ...storage } = event.storage
  return { ...event, storage }
}

/** An event as providers receive it, deeply frozen. */
type ParsedEvent = {
  /** The known fields have the types of the contract or are absent. */
  event: TagEvent
  /** The event as it was sent, without `storage.kv`. */
  payload: TagEvent
}

const parsedEvents = new WeakMap<TagEvent, ParsedEvent>()

/** Converts an event for providers. The result is cached for all channels of the event. */
export function parseEvent(sent: TagEvent): ParsedEvent {
  const known = parsedEvents.get(sent)
  if (known) return known
  const payload = freeze(withoutKeys(sent))
  const parsed = {
    payload,
    event: freeze(withCurrencyCode(fitEvent(payload) as TagEvent)),
  }
  parsedEvents.set(sent, parsed)
  return parsed
}
