import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** CookieYes: `getCkyConsent()`. */
const cookieyes: Adapter = {
  start(host) {
    const events = ['cookieyes_consent_update', 'cookieyes_banner_load']
    followBanner(host, 'cookieyes', events, ({ getCkyConsent }) => {
      const consent = getCkyConsent?.()
      if (!consent?.categories) return undefined
      return consent.isUserActionCompleted ? { choices: consent.categories } : {}
    })
  },
}

export default cookieyes
