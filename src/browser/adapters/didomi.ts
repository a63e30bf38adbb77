import type { Adapter } from './adapter.ts'
import { followBanner, noFields } from './banner.ts'

type Purposes = Record<string, { enabled?: boolean }>

/** The purposes of Didomi, those of the IAB and its own of earlier versions. */
const purposes: [category: string, ids: string[]][] = [
  [
    'advertising',
    ['create_ads_profile', 'select_personalized_ads', 'advertising_personalization', 'cookies_marketing'],
  ],
  ['analytics', ['measure_content_performance', 'market_research', 'analytics', 'cookies_analytics']],
  ['functional', ['create_content_profile', 'select_personalized_content', 'content_personalization']],
]

/** Didomi: `getCurrentUserStatus()`. */
const didomi: Adapter = {
  ...noFields,
  start(host) {
    followBanner(host, 'didomi', [], (site, look) => {
      const { Didomi, agletBanners } = site
      if (!Didomi?.getCurrentUserStatus) return undefined
      if (!agletBanners.didomi) Didomi.on?.('consent.changed', look)
      if (Didomi.shouldUserStatusBeCollected?.() ?? Didomi.shouldConsentBeCollected?.()) return {}
      const status = Didomi.getCurrentUserStatus()
      const given: Purposes = status.purposes ?? {}
      const names = {
        ...Object.fromEntries(purposes.flatMap(([to, ids]) => ids.map((id) => [id, to]))),
        ...host.options.categories,
      }
      const choices: Record<string, boolean> = {}
      for (const [id, { enabled }] of Object.entries(given))
        if (names[id]) choices[names[id]] = enabled === true && choices[names[id]] !== false
      return { choices }
    })
  },
}

export default didomi
