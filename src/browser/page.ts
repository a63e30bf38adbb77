/** Text kept by name: localStorage, sessionStorage, or memory where the browser refuses both. It never throws. */
export type Kept = {
  get(name: string): string | null | undefined
  put(name: string, text: string): void
  drop(name: string): void
  names(): string[]
}

/** What was answered; `json` is undefined where the body is no JSON. */
export type Reply = { status: number; json: unknown }

/** What of a page stands in every event, as it is at this moment. */
export type Look = { pageUrl: string; pageTitle: string; referrer: string; search: string; userAgent: string }

/** The page that the SDK runs in: all it knows of the world. */
export type Page = {
  /** epoch ms */
  now(): number
  /** 0 ≤ n < 1 */
  random(): number
  /** 128 random bits as text: nobody guesses it. */
  randomId(): string
  look(): Look
  /** `document.cookie` */
  cookies(): string
  local: Kept
  session: Kept
  /** GET, or POST where there is a body, with cookies, outliving the page. Rejects only where nothing was answered. */
  ask(url: string, body?: string): Promise<Reply>
  /** Hands a body to the browser, which sends it after the page is gone. */
  beacon(url: string, body: string): void
  /** Resolves after `ms`, or as soon as the browser says that it is online again. */
  pause(ms: number): Promise<void>
  /** Called each time the page is hidden or left: it may be the last moment. */
  onHide(then: () => void): void
  /** Loads a script. Rejects where it cannot be had. */
  load(url: string): Promise<void>
  warn(sentence: string): void
}
