import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

type Purposes = Record<string, { enabled?: boolean }>

/** Didomi: `getCurrentUserStatus()`. */
const didomi: Adapter = {
  start(host) {
    followBanner(host, 'didomi', [], ({ Didomi, agletBanners }, check) => {
      if (!Didomi?.getCurrentUserStatus) return undefined
      if (!agletBanners.didomi) Didomi.on?.('consent.changed', check)
      if (Didomi.shouldUserStatusBeCollected?.() ?? Didomi.shouldConsentBeCollected?.()) return {}
      const purposes: Purposes = Didomi.getCurrentUserStatus().purposes ?? {}
      return { choices: Object.fromEntries(Object.entries(purposes).map(([id, { enabled }]) => [id, enabled])) }
    })
  },
}

export default didomi
