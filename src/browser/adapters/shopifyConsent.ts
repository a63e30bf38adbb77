import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** Shopify: `customerPrivacy.currentVisitorConsent()`. */
const shopifyConsent: Adapter = {
  start(host) {
    followBanner(host, 'shopifyConsent', ['visitorConsentCollected'], ({ Shopify }) => {
      const given = Shopify?.customerPrivacy?.currentVisitorConsent?.()
      if (!given) return undefined
      const isAnswered = [given.marketing, given.analytics, given.preferences].some(Boolean)
      const { marketing, analytics, preferences, sale_of_data } = given
      const choices = {
        marketing: marketing === 'yes',
        analytics: analytics === 'yes',
        preferences: preferences === 'yes',
      }
      return isAnswered ? { choices: { ...choices, ...(sale_of_data === 'no' && { share_pii: false }) } } : {}
    })
  },
}

export default shopifyConsent
