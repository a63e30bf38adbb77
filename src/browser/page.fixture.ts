import type { Init } from '#contract/edge.ts'
import type { Kept, Page, Reply } from './page.ts'

/** Storage of a site, as all its pages see it. */
export function memory(from: Iterable<[string, string]> = []): Kept {
  const texts = new Map(from)
  return {
    get: (name) => texts.get(name),
    put: (name, text) => void texts.set(name, text),
    drop: (name) => void texts.delete(name),
    names: () => [...texts.keys()],
  }
}

export type Asked = { path: string; query: URLSearchParams; body: unknown }

export const tagUrl = 'https://d.shop.example/t/tag_1'

export const init = (more: Partial<Init> = {}): Reply => ({
  status: 200,
  json: {
    result: [],
    userId: 'usr_1',
    isNewUser: true,
    session: { sessionId: 's', isNewSession: true },
    consent: null,
    ...more,
  } satisfies Init,
})

export const offline = () => Promise.reject(new Error('offline'))
/** What the edge answers to a body of events: each is taken. */
export const taken = (body: unknown): Reply => {
  const answers = [body]
    .flat()
    .map((event) => ({ eventId: (event as { eventId: string }).eventId, status: 'accepted' }))
  return { status: 200, json: { result: Array.isArray(body) ? answers : answers[0] } }
}
export const stored: Reply = { status: 200, json: { result: { status: 'accepted' } } }

/** An edge that takes everything. */
export const kind = ({ path, body }: Asked): Reply | Promise<Reply> =>
  path === '/init' ? init() : path === '/tag' ? taken(body) : stored

export type Edge = typeof kind

/** A page in which everything can be seen and turned. `edge` is what answers, and may be replaced at any time. */
export function openPage({
  edge = kind as Edge,
  local = memory(),
  session = memory(),
  search = '',
  cookies = '',
} = {}) {
  const asked: Asked[] = []
  const beacons: Asked[] = []
  const warnings: string[] = []
  const loaded: string[] = []
  const pauses: { ms: number; end(): void }[] = []
  const hiding: (() => void)[] = []
  const at = { edge, search, cookies, now: Date.UTC(2026, 10, 20), ids: 0 }
  const read = (url: string, text?: string): Asked => {
    const { pathname, searchParams } = new URL(url)
    const body = text === undefined ? undefined : JSON.parse(text)
    return { path: pathname.slice(new URL(tagUrl).pathname.length), query: searchParams, body }
  }
  const page: Page = {
    now: () => at.now,
    random: () => 0,
    randomId: () => `${++at.ids}`,
    look: () => ({
      pageUrl: `https://shop.example/${at.search}`,
      pageTitle: 'Shop',
      referrer: '',
      search: at.search,
      userAgent: 'Browser',
    }),
    cookies: () => at.cookies,
    local,
    session,
    async ask(url, text) {
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
    /** Ends every pause, as time or a connection that is back does. */
    resume() {
      for (const { end } of pauses.splice(0)) end()
    },
    eventNames: () =>
      to('/tag').map(({ body }) => [body].flat().map((event) => (event as { eventName: string }).eventName)),
  }
}
export type FakePage = ReturnType<typeof openPage>

/** Lets everything that can happen now happen. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
