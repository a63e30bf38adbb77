import type { Kept, Page } from '../page.ts'

/** Bodies above this are refused by browsers once the page is gone, and so is the request that asks for it. */
const longestAfterwards = 60_000

/** The page of this window. `script` is the element that brought the SDK, where there is one. */
export const thisPage = (script?: HTMLScriptElement | null): Page => ({
  now: Date.now,
  random: Math.random,
  randomId: () => crypto.getRandomValues(new BigUint64Array(2)).join('_'),
  look: () => ({
    pageUrl: location.href,
    pageTitle: document.title,
    referrer: document.referrer,
    search: location.search,
    userAgent: navigator.userAgent,
  }),
  cookies: () => document.cookie,
  local: keptIn(() => localStorage),
  session: keptIn(() => sessionStorage),
  async ask(url, body) {
    const post = body && { method: 'POST', body, keepalive: body.length < longestAfterwards }
    const answer = await fetch(url, { credentials: 'include', ...post })
    return { status: answer.status, json: await answer.json().catch(() => undefined) }
  },
  beacon: (url, body) => void navigator.sendBeacon(url, body),
  pause: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
      addEventListener('online', () => resolve(), { once: true })
    }),
  onHide(then) {
    addEventListener('pagehide', then)
    document.addEventListener('visibilitychange', () => document.hidden && then())
  },
  load: (url) =>
    new Promise((resolve, reject) => {
      const element = document.createElement('script')
      element.onload = () => resolve()
      element.onerror = reject
      element.nonce = script?.nonce ?? ''
      element.src = url
      document.head.append(element)
    }),
  warn: (sentence) => console.warn(`aglet: ${sentence}`),
})

/** A storage of the site; memory where the browser keeps it from the page, or it is full. */
function keptIn(open: () => Storage): Kept {
  const memory = new Map<string, string>()
  const tried = <Value>(use: (storage: Storage) => Value): Value | undefined => {
    try {
      return use(open())
    } catch {
      return undefined
    }
  }
  return {
    get: (name) => memory.get(name) ?? tried((storage) => storage.getItem(name)),
    put(name, text) {
      const isKept = tried((storage) => {
        storage.setItem(name, text)
        return true
      })
      if (!isKept) memory.set(name, text)
    },
    drop(name) {
      memory.delete(name)
      tried((storage) => storage.removeItem(name))
    },
    names: () => tried(Object.keys) ?? [],
  }
}
