import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/**
 * The WP Consent API of several WordPress plug-ins: `wp_has_consent()`. The cookies of its categories are written one by
 * one; they count as an answer once the two most important ones are there.
 */
const wpConsent: Adapter = {
  start(host) {
    const events = ['wp_listen_for_consent_change', 'wp_consent_type_defined']
    followBanner(host, 'wpConsent', events, ({ wp_has_consent: has, consent_api: api, document }) => {
      if (!has) return undefined
      const prefix = api?.cookie_prefix || 'wp_consent'
      const isSet = (name: string) => document.cookie.includes(`${prefix}_${name}=`)
      if (!isSet('marketing') || !isSet('statistics')) return {}
      const [preferences, statistics, marketing] = ['preferences', 'statistics', 'marketing'].map((name) => has(name))
      return { choices: { preferences, statistics, marketing } }
    })
  },
}

export default wpConsent
