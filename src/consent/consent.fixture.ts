import type { consentCategories } from '#contract/script.ts'
import { decideConsent } from './consent.ts'
import { readStatedConsent, type StoredConsent } from './statedConsent.ts'

export const script = { providerId: 'facebook', name: 'main' } as const
export const tag = { consent: 'enabled', gpc: false, scripts: [script] } as never as Parameters<
  typeof decideConsent
>[0]['tag'] &
  Parameters<typeof readStatedConsent>[3]
export type ConsentCase = {
  consent?: unknown
  consentCategories?: unknown
  consentState?: unknown
  own?: StoredConsent
  joined?: StoredConsent[]
  claimed?: StoredConsent[]
  gpc?: true
  trusted?: boolean
  hasExplicitUserId?: boolean
  storage?: never
  receivedAt?: number
  tag?: Partial<typeof tag>
}

export const readCase = (given: ConsentCase) => {
  const {
    own,
    joined,
    claimed,
    gpc,
    trusted = false,
    hasExplicitUserId = true,
    tag: more,
    storage,
    receivedAt = 5,
    ...maps
  } = given
  const event = { timestamp: 5, storage: storage === undefined ? { service: maps } : storage }
  return decideConsent({
    stated: readStatedConsent(event, receivedAt, 'Service', tag),
    context: { trusted, hasExplicitUserId, ...(gpc && { gpc }) },
    tag: { ...tag, ...more },
    known: { own, ...(joined && { joined }), ...(claimed && { claimed }) },
  })
}
export const allowsCase = (given: ConsentCase, category: (typeof consentCategories)[number] = 'advertising') =>
  readCase(given).allows(script, category)
