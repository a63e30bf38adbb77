/** Texts stored by name: localStorage, sessionStorage, or memory when the browser denies both. It never throws. */
export type KeyValueStorage = {
  get(name: string): string | null | undefined
  set(name: string, text: string): void
  remove(name: string): void
  names(): string[]
}

/** The response of a request; `json` is undefined if the body is not JSON. */
export type HttpReply = { status: number; json: unknown }

/** The fields of the page in every event, read at the time of the event. */
type PageInfo = { pageUrl: string; pageTitle: string; referrer: string; search: string; userAgent: string }

/** The page that the SDK runs in, with all functions of the browser that it uses. */
export type BrowserPage = {
  /** epoch ms */
  now(): number
  /** 0 ≤ n < 1 */
  random(): number
  /** 128 random bits as text */
  randomId(): string
  pageInfo(): PageInfo
  /** `document.cookie` */
  cookies(): string
  local: KeyValueStorage
  session: KeyValueStorage
  /** GET, or POST with a body; with cookies and keepalive. Rejects only without a response. */
  request(url: string, body?: string): Promise<HttpReply>
  /** Queues a body that the browser sends even after the page is closed. */
  beacon(url: string, body: string): void
  /** Resolves after `ms`, or when the browser is online again. */
  pause(ms: number): Promise<void>
  /** Registers a callback that runs each time the page is hidden or left. */
  onHide(then: () => void): void
  /** Loads a script. Rejects if it cannot be loaded. */
  load(url: string): Promise<void>
  warn(sentence: string): void
}
