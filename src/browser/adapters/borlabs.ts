import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/**
 * Borlabs Cookie 2 and 3: it has the consent of each service by id, and the page names the services in
 * `agletAdapters.categories`, such as `{ 'meta-pixel': 'advertising' }`.
 */
const borlabs: Adapter = {
  start(host) {
    const events = ['borlabs-cookie-after-init', 'borlabs-cookie-consent-saved']
    followBanner(host, 'borlabs', events, ({ BorlabsCookie: api, document }) => {
      if (!api) return undefined
      if (!document.cookie.includes('borlabs-cookie=')) return {}
      const has = (id: string) => (api.Consents ? api.Consents.hasConsent(id) : api.checkCookieConsent(id))
      return { choices: Object.fromEntries(Object.keys(host.options.categories ?? {}).map((id) => [id, has(id)])) }
    })
  },
}

export default borlabs
