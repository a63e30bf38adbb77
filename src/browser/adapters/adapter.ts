import type { AdapterName } from '#contract/adapterNames.ts'

/** The arguments of a call from the page to another tool. */
export type PageCall = unknown[]

/** Reads a call before the tool gets it. Returns replaced arguments, or undefined to pass the call on unchanged. */
export type ReadCall = (call: PageCall) => PageCall | undefined

/** The event name and data of a call, and the argument (`idAt`) and member (`idKey`) that hold the vendor's event id. */
type EventCall = { name: unknown; data: unknown; idAt: number; idKey: string }

/** Settings of a page in `window.agletAdapters`, set before the adapters are loaded. */
export type AdapterOptions = {
  /** The adapter whose events are sent; the others only pass event ids. Default: the tag's setting. */
  primary?: string
  /** False: event ids are not added to the page's calls. Default: the tag's setting. */
  passEventId?: boolean
  /** The name of the data layer. */
  dataLayer?: string
  /** True: the page no longer has the base code of the other tools; calls to them reach only the adapters. */
  stubs?: boolean
  /** True: logs skipped calls. */
  debug?: boolean
  /** The categories for a banner's own names, such as `{ c52: 'advertising' }`. */
  categories?: Record<string, string>
  /** The purposes that a category needs, if they differ from the default. */
  purposes?: Record<string, number[]>
}

/** The functions that adapters may use. None of them throws into the page. */
export type AdapterHost = {
  options: AdapterOptions
  /** The globals of the page. */
  site: Record<string, unknown>
  /** Calls the SDK. */
  sdk(...call: unknown[]): void
  /** A copy without functions and DOM nodes; undefined for cycles, throwing getters and large values. */
  copy(value: unknown): unknown
  /** Sends an event unless it was already sent. Returns its id; undefined if there is no event. */
  event(name: unknown, data: unknown, given?: unknown, more?: object): string | undefined
  /** Sends the event of a call, and returns the call with the event id. */
  track(call: PageCall, event: EventCall): PageCall | undefined
  /** Our name of a GA4 event; other tools also use these names. */
  gaEventName(name: string): string
  /** An item with our field names. */
  renamedItem(item: Record<string, unknown>): Record<string, unknown>
  /** Sends the standard user keys among these fields. */
  person(fields: unknown): void
  /**
   * Replaces a member of `owner` now and whenever it is assigned; without `owner`, a global. The page reads the
   * replacement. `absent` is set if there is no value yet.
   */
  watch(name: string, replace: (value: object) => object | undefined, where?: { owner?: object; absent?: object }): void
  /** Runs a part of an adapter and catches its errors. */
  safely<Result>(run: () => Result): Result | undefined
  /** The same function, with each call read first. */
  wrap(called: object, read: ReadCall): object
  /** Reads the waiting calls in a queue. */
  readWaiting(list: unknown, read: ReadCall): void
  /** Watches methods of an object, including later ones. A call starts with the name of its method. */
  watchMethods(api: object, names: readonly string[], read: ReadCall): void
  /** Watches a global function and its aliases. Until the tool is loaded, calls wait in its member `queue`. */
  watchFunction(names: readonly string[], queue: string, read: ReadCall): void
  warn(sentence: string): void
}

/** The part of the SDK that reads the page's calls to one other tool. */
export type Adapter = {
  /** The tool's field names and ours (`fields.ts`): of an event, its items, and a person. A banner has none. */
  fields?: string
  items?: string
  person?: string
  start(host: AdapterHost): void
}

/** Starts an adapter, once in a page. */
export type AddAdapter = (name: AdapterName, adapter: Adapter) => void
