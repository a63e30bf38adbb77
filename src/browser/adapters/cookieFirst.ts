import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** CookieFirst: `CookieFirst.consent`, which is null before the answer. */
const cookieFirst: Adapter = {
  start(host) {
    followBanner(host, 'cookieFirst', ['cf_init', 'cf_consent'], ({ CookieFirst }) => {
      if (!CookieFirst) return undefined
      if (typeof CookieFirst.consent !== 'object' || !CookieFirst.consent) return {}
      const { performance, functional, advertising } = CookieFirst.consent
      return { choices: { performance, functional, advertising } }
    })
  },
}

export default cookieFirst
