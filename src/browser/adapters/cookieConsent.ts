import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** vanilla-cookieconsent, version 3: `CookieConsent.getUserPreferences()`. */
const cookieConsent: Adapter = {
  start(host) {
    const events = ['cc:onFirstConsent', 'cc:onConsent', 'cc:onChange', 'cc:onModalReady']
    followBanner(host, 'cookieConsent', events, ({ CookieConsent }) => {
      if (!CookieConsent?.getConfig('categories')) return undefined
      if (!CookieConsent.validConsent()) return {}
      const { acceptedCategories, rejectedCategories } = CookieConsent.getUserPreferences()
      const named = (names: string[], value: boolean) => names.map((name) => [name, value])
      const choices = Object.fromEntries([...named(acceptedCategories, true), ...named(rejectedCategories, false)])
      return { choices, version: CookieConsent.getCookie('revision') }
    })
  },
}

export default cookieConsent
