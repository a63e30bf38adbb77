import { consentKey } from '#consent/text/consentKey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { fieldsOf, quoted } from './values.ts'

type Category = ConsentCategory | 'share_pii' | 'all'

/** Names of categories in consent managers, in lower case without punctuation. `C0002` … are OneTrust's. */
const categories: Readonly<Record<string, Category>> = {
  all: 'all',
  necessary: 'necessary',
  strictlynecessary: 'necessary',
  essential: 'necessary',
  required: 'necessary',
  c0001: 'necessary',
  advertising: 'advertising',
  ads: 'advertising',
  marketing: 'advertising',
  targeting: 'advertising',
  c0004: 'advertising',
  analytics: 'analytics',
  performance: 'analytics',
  statistics: 'analytics',
  measurement: 'analytics',
  c0002: 'analytics',
  functional: 'functional',
  functionality: 'functional',
  preferences: 'functional',
  personalization: 'functional',
  c0003: 'functional',
  sharepii: 'share_pii',
  datasharing: 'share_pii',
  saleofdata: 'share_pii',
}

const simplified = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * Maps the consent of a message to the categories of an event. If two names map to one category, a refusal prevails. An
 * unknown name, or a value that is not a boolean, becomes a note.
 */
export function consentOf(choices: Iterable<readonly [name: string, value: unknown]>) {
  const map: Record<string, boolean> = {}
  const notes: string[] = []
  for (const [name, value] of choices) {
    const key = simplified(name.slice(0, 100))
    const category = Object.hasOwn(categories, key) ? categories[key]! : undefined
    if (category === undefined || typeof value !== 'boolean') notes.push(`its consent ${quoted(name)} is not mapped`)
    else map[category] = value && map[category] !== false
  }
  return { ...(Object.keys(map).length > 0 && { map }), notes: notes.slice(0, 5) }
}

/** The `storage` of an event with this consent; without categories it contains no consent. */
export const storageWith = (
  brand: string,
  consentCategories: Record<string, boolean> | undefined,
  more: Record<string, unknown> = {},
  consentState?: string,
): Record<string, unknown> => ({
  ...more,
  ...(consentCategories && { [consentKey(brand)]: { consentCategories, ...(consentState && { consentState }) } }),
})

/** The consent of Segment (`context.consent`) and of RudderStack (`context.consentManagement`). */
export function contextConsent(context: Readonly<Record<string, unknown>>) {
  const { categoryPreferences } = fieldsOf(context.consent)
  const { allowedConsentIds, deniedConsentIds } = fieldsOf(context.consentManagement)
  const named = (ids: unknown, value: boolean) =>
    Array.isArray(ids) ? ids.slice(0, 100).flatMap((id) => (typeof id === 'string' ? [[id, value] as const] : [])) : []
  return consentOf([
    ...Object.entries(fieldsOf(categoryPreferences)),
    ...named(allowedConsentIds, true),
    ...named(deniedConsentIds, false),
  ])
}
