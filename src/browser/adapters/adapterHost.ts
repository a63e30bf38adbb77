import type { AdapterName } from '#contract/adapterNames.ts'
import { gaEventName } from '#contract/productEvents.ts'
import type { Adapter, AdapterHost, AdapterOptions } from './adapter.ts'
import { openCallWatch, type PageGlobals } from './callWatch.ts'
import type { EventLog } from './eventLog.ts'
import { renamed, toEventData, toFieldNames } from './fields.ts'

type SdkFunction = ((...call: unknown[]) => Promise<unknown>) & { q?: unknown[] }

/** State that the adapters of a page share. */
type AdapterHostDeps = {
  site: PageGlobals
  options: AdapterOptions
  log: EventLog
  /** The personal data sent so far. */
  person: Map<string, unknown>
  /** The tag's setting `passEventId`. Empty means `true`. */
  passEventId: string
  warn(sentence: string): void
}

type Members = Record<string, unknown>

/** In characters of JSON: a shop's event push has a few thousand. */
const maxLength = 50_000

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** Removes functions and DOM nodes. Undefined becomes null, because in a data layer it clears a value. */
const plain = (_: string, value: unknown) => {
  if (typeof value === 'function' || (isObject(value) && value.nodeType)) return undefined
  return value ?? null
}

/** Throws for cycles, throwing getters and large values. */
function plainCopy(value: unknown): unknown {
  const text = JSON.stringify(value, plain)
  if (text.length > maxLength) throw `${text.length} characters is too long`
  return JSON.parse(text)
}

/** A SHA-256 digest is skipped: the tag hashes for each vendor itself. */
const digest = /^[0-9a-f]{64}$/i

/** Queues calls until the SDK is loaded, like the stub in docs/sdk.md. */
function sdkStub(): SdkFunction {
  const q: unknown[] = []
  return Object.assign((...call: unknown[]) => new Promise((resolve) => q.push([resolve, call])), { q })
}

export function openAdapterHost(adapter: AdapterName, tool: Adapter, deps: AdapterHostDeps): AdapterHost {
  const names = toFieldNames(tool.fields)
  const itemNames = toFieldNames(tool.items)
  const keyNames = toFieldNames(tool.person)
  const { site, options, log, person, passEventId, warn } = deps
  const safely = <Result>(run: () => Result): Result | undefined => {
    try {
      return run()
    } catch (error) {
      if (options.debug) warn(`${adapter}: ${error}`)
      return undefined
    }
  }
  const host: AdapterHost = {
    options,
    site,
    warn,
    sdk(...call) {
      site.aglet ??= sdkStub()
      ;(site.aglet as SdkFunction)(...call).catch(() => {})
    },
    copy: (value) => safely(() => plainCopy(value)),
    event(name, data, given, more) {
      const fields = host.copy(isObject(data) ? data : {})
      if (!name || typeof name !== 'string' || !isObject(fields)) return undefined
      const { user_data, ...rest } = fields
      host.person(user_data)
      const event = toEventData(rest, names, itemNames)
      const id = /^(string|number)$/.test(typeof given) && given !== '' ? `${given}` : undefined
      const { eventId, isNew } = log(adapter, { name, orderId: event.orderId, eventId: id })
      if (isNew) host.sdk('tag', name, event, undefined, { eventId, source: { name: adapter }, ...more })
      return eventId
    },
    track(call, { name, data, idAt, idKey }) {
      const holder = (call[idAt] ?? {}) as Members
      const eventId = host.event(name, data, holder[idKey])
      const isPassed = `${options.passEventId ?? (passEventId || true)}` === 'true'
      if (!eventId || holder[idKey] || !isPassed || !isObject(holder)) return undefined
      // fill in all arguments before it: `fbq('track', 'PageView', {}, { eventID })`
      return [
        ...Array.from({ length: idAt }, (_, at) => call[at] ?? {}),
        { ...holder, [idKey]: eventId },
        ...call.slice(idAt + 1),
      ]
    },
    person(fields) {
      const { address, ...own } = Object(host.copy(Object(fields)))
      for (const [name, value] of Object.entries({ ...own, ...address })) {
        const key = keyNames.get(name)
        if (!key || !value || isObject(value) || digest.test(`${value}`) || person.get(key) === value) continue
        person.set(key, value)
        host.sdk('user', key, value)
      }
    },
    gaEventName,
    renamedItem: (item) => renamed(item, itemNames),
    ...openCallWatch({ site, safely, hasStubs: options.stubs === true }),
  }
  return host
}
