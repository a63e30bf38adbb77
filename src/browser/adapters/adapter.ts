import type { AdapterName } from '#contract/adapterNames.ts'

/** The arguments of a call that the page makes to another tool. */
export type PageCall = unknown[]

/** Reads a call before the tool gets it. Returns other arguments to pass on, or undefined: the same. */
export type ReadCall = (call: PageCall) => PageCall | undefined

/** Where a call has the name of its event, what vendors call the id of an event, and the argument that holds it. */
type EventCall = { name: unknown; data: unknown; idAt: number; idKey: string }

/** Settings that a page gives in `window.agletAdapters`, before the adapters are loaded. */
export type AdapterOptions = {
  /** The adapter whose events are sent; the others only pass event ids. Absent: the setting of the tag. */
  primary?: string
  /** False: event ids are not added to the calls of the page. Absent: the setting of the tag. */
  passEventId?: boolean
  /** The name of the data layer. */
  dataLayer?: string
  /** True: the page has no base code of the other tools any more; calls to them reach the adapters alone. */
  stubs?: boolean
  /** True: what is skipped is logged. */
  debug?: boolean
  /** The categories of a banner's own names, such as `{ c52: 'advertising' }`. */
  categories?: Record<string, string>
  /** The purposes that a category needs, where the tag has others than the default. */
  purposes?: Record<string, number[]>
}

/** What an adapter may use. Nothing of it throws into the page. */
export type AdapterHost = {
  options: AdapterOptions
  /** The globals of the page. */
  site: Record<string, unknown>
  /** Calls the SDK. */
  sdk(...call: unknown[]): void
  /** A copy without functions and DOM nodes; undefined for what has cycles, throws or is too large. */
  copy(value: unknown): unknown
  /** Sends an event, unless it was sent before. Returns its id; undefined where there is no event. */
  event(name: unknown, data: unknown, given?: unknown, more?: object): string | undefined
  /** Sends the event of a call, and returns the call with the id of the event. */
  track(call: PageCall, event: EventCall): PageCall | undefined
  /** Our name of an event of GA4, whose names other tools have too. */
  gaEventName(name: string): string
  /** An item under our names. */
  renamedItem(item: Record<string, unknown>): Record<string, unknown>
  /** Sends the standard keys of the user among these fields. */
  person(fields: unknown): void
  /**
   * Replaces a member of `owner` now and each time that it is assigned; without `owner`, a global. The page reads the
   * replacement. `absent` is put where there is none yet.
   */
  watch(name: string, replace: (value: object) => object | undefined, where?: { owner?: object; absent?: object }): void
  /** Runs a part of an adapter, whose errors end here. */
  safely<Result>(run: () => Result): Result | undefined
  /** The same function, whose calls are read first. */
  wrap(called: object, read: ReadCall): object
  /** Reads the calls that wait in a list of calls. */
  readWaiting(list: unknown, read: ReadCall): void
  /** Watches methods of an object, also those that it gets later. A call begins with the name of its method. */
  watchMethods(api: object, names: readonly string[], read: ReadCall): void
  /** Watches a global function and its aliases. Its calls wait in its member `queue` while the tool is not loaded. */
  watchFunction(names: readonly string[], queue: string, read: ReadCall): void
  warn(sentence: string): void
}

/** The part of the SDK that reads the calls of a page to one other tool. */
export type Adapter = {
  /** The names of the tool's fields and ours (`fields.ts`): in an event, in its items, and of a person. A banner has none. */
  fields?: string
  items?: string
  person?: string
  start(host: AdapterHost): void
}

/** Starts an adapter, once in a page. */
export type AddAdapter = (name: AdapterName, adapter: Adapter) => void
