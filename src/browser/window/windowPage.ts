import type { BrowserPage, KeyValueStorage } from '#browser/browserPage.ts'

/** Browsers refuse keepalive requests with larger bodies (64 KiB). */
const maxKeepaliveLength = 60_000

/** The page of this window. `script` is the element that loaded the SDK, if any. */
export const windowPage = (script?: HTMLScriptElement | null): BrowserPage => ({
  now: Date.now,
  random: Math.random,
  randomId: () => crypto.getRandomValues(new BigUint64Array(2)).join('_'),
  pageInfo: () => ({
    pageUrl: location.href,
    pageTitle: document.title,
    referrer: document.referrer,
    search: location.search,
    userAgent: navigator.userAgent,
  }),
  cookies: () => document.cookie,
  local: openStorage(() => localStorage),
  session: openStorage(() => sessionStorage),
  async request(url, body) {
    const post = body && { method: 'POST', body, keepalive: body.length < maxKeepaliveLength }
    const response = await fetch(url, { credentials: 'include', ...post })
    return { status: response.status, json: await response.json().catch(() => undefined) }
  },
  beacon: (url, body) => void navigator.sendBeacon(url, body),
  pause: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
      addEventListener('online', resolve as () => void, { once: true })
    }),
  onHide(callback) {
    addEventListener('pagehide', callback)
    document.addEventListener('visibilitychange', () => document.hidden && callback())
  },
  load: (url) =>
    new Promise((resolve, reject) => {
      const element = document.createElement('script')
      element.onload = resolve as () => void
      element.onerror = reject
      element.nonce = script?.nonce ?? ''
      element.src = url
      document.head.append(element)
    }),
  warn: (message) => console.warn(`aglet: ${message}`),
})

/** A storage of the site; falls back to memory when the browser denies access or the storage is full. */
function openStorage(open: () => Storage): KeyValueStorage {
  const memory = new Map<string, string>()
  const attempt = <Value>(use: (storage: Storage) => Value): Value | undefined => {
    try {
      return use(open())
    } catch {
      return undefined
    }
  }
  return {
    get: (name) => memory.get(name) ?? attempt((storage) => storage.getItem(name)),
    set(name, text) {
      const isStored = attempt((storage) => {
        storage.setItem(name, text)
        return true
      })
      if (!isStored) memory.set(name, text)
    },
    remove(name) {
      memory.delete(name)
      attempt((storage) => storage.removeItem(name))
    },
    names: () => attempt(Object.keys) ?? [],
  }
}
