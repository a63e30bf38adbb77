import type { Adapter } from './adapter.ts'
import { type BannerAnswer, followBanner } from './banner.ts'

type Service = { categorySlug: string; consent: { status: boolean } }
type Details = { consent?: { type?: string }; categories?: Record<string, { state?: string }> }

/** Usercentrics: services by category in version 2, details of the consent in version 3. */
const usercentrics: Adapter = {
  start(host) {
    let details: BannerAnswer | undefined
    let isAsking = false
    const events = ['UC_UI_INITIALIZED', 'UC_UI_CMP_EVENT', 'ucEvent', 'UC_CONSENT']
    followBanner(host, 'usercentrics', events, ({ UC_UI, __ucCmp }, check) => {
      if (__ucCmp) {
        if (isAsking) return details
        isAsking = true
        __ucCmp.getConsentDetails().then(({ consent, categories = {} }: Details) => {
          const states = Object.entries(categories).map(([name, { state }]) => [name, state === 'ALL_ACCEPTED'])
          details = consent?.type === 'EXPLICIT' ? { choices: Object.fromEntries(states) } : {}
          check()
          isAsking = false
        })
        return details
      }
      if (!UC_UI?.isInitialized()) return undefined
      if (UC_UI.isConsentRequired()) return {}
      const choices: Record<string, boolean> = {}
      for (const { categorySlug, consent } of UC_UI.getServicesBaseInfo() as Service[])
        choices[categorySlug] = consent.status && choices[categorySlug] !== false
      return { choices }
    })
  },
}

export default usercentrics
