import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** Cookiebot: `Cookiebot.consent`. */
const cookiebot: Adapter = {
  start(host) {
    const events = ['CookiebotOnConsentReady', 'CookiebotOnAccept', 'CookiebotOnDecline']
    followBanner(host, 'cookiebot', events, ({ Cookiebot }) => {
      if (!Cookiebot?.consent) return undefined
      const { preferences, statistics, marketing } = Cookiebot.consent
      return Cookiebot.hasResponse ? { choices: { preferences, statistics, marketing } } : {}
    })
  },
}

export default cookiebot
