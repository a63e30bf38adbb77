import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** Complianz: `cmplz_has_consent()`, once its banner is dismissed. */
const complianz: Adapter = {
  start(host) {
    const events = ['cmplz_cookie_warning_loaded', 'cmplz_status_change', 'cmplz_fire_categories']
    followBanner(host, 'complianz', events, ({ cmplz_has_consent: has, cmplz_get_banner_status: statusOf }) => {
      if (!has || !statusOf) return undefined
      const [preferences, statistics, marketing] = ['preferences', 'statistics', 'marketing'].map((name) => has(name))
      return statusOf() === 'dismissed' ? { choices: { preferences, statistics, marketing } } : {}
    })
  },
}

export default complianz
