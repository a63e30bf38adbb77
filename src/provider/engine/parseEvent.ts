import { EventPayload, type TagEvent } from '#contract/event.ts'
import { amountOf } from '#provider/form/money.ts'

/** The part of a JSON Schema that says what a known field should be. */
type Shape = { type?: string; items?: Shape; properties?: Record<string, Shape> }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fitText = (value: unknown) => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' ? value : undefined
}

/** The object itself where all of it fits, as it does nearly always. */
function fitObject(properties: Record<string, Shape>, value: Record<string, unknown>) {
  let fitted = value
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(properties, key)) continue
    const member = fit(properties[key]!, value[key])
    if (Object.is(member, value[key])) continue
    if (fitted === value) fitted = { ...value }
    if (member === undefined) delete fitted[key]
    else fitted[key] = member
  }
  return fitted
}

function fitList(items: Shape, value: readonly unknown[]) {
  const fitted = value.map((each) => fit(items, each))
  return fitted.every((each, at) => Object.is(each, value[at])) ? value : fitted.filter((each) => each !== undefined)
}

/** The value as the shape has it: a number where text is due becomes text, text that is an amount becomes one; else undefined. */
function fit({ type, items, properties }: Shape, value: unknown): unknown {
  if (type === 'string') return fitText(value)
  if (type === 'number') return amountOf(value)
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'array') return Array.isArray(value) ? fitList(items ?? {}, value) : undefined
  if (type === 'object') return isObject(value) ? fitObject(properties ?? {}, value) : undefined
  return value
}

/** By its values and not by `for in`: V8 takes that back each time it has compiled it, for events of so many shapes. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) freeze(each)
  return Object.freeze(value)
}

/** What the person's raw keys came in: they are known by now, and go nowhere as they came. */
function withoutKeys(event: TagEvent): TagEvent {
  if (!isObject(event.storage)) return { ...event }
  const { kv: _, ...storage } = event.storage
  return { ...event, storage }
}

/** An event as providers are given it, frozen. */
export type ParsedEvent = {
  /** Its known fields are of the contract's types or absent. */
  event: TagEvent
  /** As it came, but for `storage.kv`. */
  payload: TagEvent
}

const readAlready = new WeakMap<TagEvent, ParsedEvent>()

/** Reads an event for providers, once for all its channels. Senders may send any type; a provider need not look. */
export function parseEvent(came: TagEvent): ParsedEvent {
  const known = readAlready.get(came)
  if (known) return known
  const payload = freeze(withoutKeys(came))
  const read = { payload, event: freeze(fit(EventPayload as Shape, payload) as TagEvent) }
  readAlready.set(came, read)
  return read
}
