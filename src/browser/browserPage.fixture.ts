import type { InitResponse } from '#contract/edgeResponses.ts'
import type { BrowserPage, HttpReply, KeyValueStorage } from './browserPage.ts'

/** A storage in memory, shared by the pages of a site. */
export function memoryStorage(from: Iterable<[string, string]> = []): KeyValueStorage {
  const texts = new Map(from)
  return {
    get: (name) => texts.get(name),
    set: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
    names: () => [...texts.keys()],
  }
}

type RecordedRequest = { path: string; query: URLSearchParams; body: unknown }

export const tagUrl = 'https://d.shop.example/t/tag_1'

export const initReply = (more: Partial<InitResponse> = {}): HttpReply => ({
  status: 200,
  json: {
    result: [],
    userId: 'usr_1',
    isNewUser: true,
    session: { sessionId: 's', isNewSession: true },
    consent: null,
    ...more,
  } satisfies InitResponse,
})

export const failToAnswer = () => Promise.reject(new Error('offline'))
/** The edge's response to a body of events: each is accepted. */
const acceptEvents = (body: unknown): HttpReply => {
  const answers = [body]
    .flat()
    .map((event) => ({ eventId: (event as { eventId: string }).eventId, status: 'accepted' }))
  return { status: 200, json: { result: Array.isArray(body) ? answers : answers[0] } }
}
export const storedReply: HttpReply = { status: 200, json: { result: { status: 'accepted' } } }

/** An edge that accepts everything. */
export const acceptingEdge = ({ path, body }: RecordedRequest): HttpReply | Promise<HttpReply> =>
  path === '/init' ? initReply() : path === '/tag' ? acceptEvents(body) : storedReply

export type FakeEdge = typeof acceptingEdge

/**
 * A fake page that records its calls and whose state can be changed. `edge` answers, and may be replaced at any time.
 */
export function openPage({
  edge = acceptingEdge as FakeEdge,
  local = memoryStorage(),
  session = memoryStorage(),
  search = '',
  cookies = '',
} = {}) {
  const asked: RecordedRequest[] = []
  const beacons: RecordedRequest[] = []
  const warnings: string[] = []
  const loaded: string[] = []
  const pauses: { ms: number; end(): void }[] = []
  const hiding: (() => void)[] = []
  const at = { edge, search, cookies, now: Date.UTC(2026, 10, 20), ids: 0 }
  const read = (url: string, text?: string): RecordedRequest => {
    const { pathname, searchParams } = new URL(url)
    const body = text === undefined ? undefined : JSON.parse(text)
    return { path: pathname.slice(new URL(tagUrl).pathname.length), query: searchParams, body }
  }
  const page: BrowserPage = {
    now: () => at.now,
    random: () => 0,
    randomId: () => `${++at.ids}`,
    pageInfo: () => ({
      pageUrl: `https://shop.example/${at.search}`,
      pageTitle: 'Shop',
      referrer: '',
      search: at.search,
      userAgent: 'Browser',
    }),
    cookies: () => at.cookies,
    local,
    session,
    async request(url, text) {
      const ask = read(url, text)
      asked.push(ask)
      return at.edge(ask)
    },
    beacon: (url, text) => void beacons.push(read(url, text)),
    pause: (ms) => new Promise((end) => pauses.push({ ms, end })),
    onHide: (then) => void hiding.push(then),
    load: async (url) => void loaded.push(url),
    warn: (sentence) => void warnings.push(sentence),
  }
  const to = (path: string) => asked.filter((each) => each.path === path)
  return {
    ...{ page, at, asked, beacons, warnings, loaded, pauses, to },
    hide() {
      for (const then of hiding) then()
    },
    /** Ends every pause, as if time had passed or the connection were restored. */
    resume() {
      for (const { end } of pauses.splice(0)) end()
    },
    eventNames: () =>
      to('/tag').map(({ body }) => [body].flat().map((event) => (event as { eventName: string }).eventName)),
  }
}

/** Resolves after all pending microtasks. */
export const nextTask = () => new Promise<void>((resolve) => setImmediate(resolve))
