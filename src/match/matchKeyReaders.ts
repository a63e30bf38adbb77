import { rawContacts, withoutContactIds } from '#provider/engine/contacts.ts'
import type { Identity } from '#provider/engine/identity.ts'
import { appIds } from '#provider/form/appIds.ts'
import { type MatchKey, matchKeysOf } from '#provider/form/matchKeys.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { type RuleKey, rawValue, type UserRule } from '#provider/form/userRule.ts'

/** What the match keys of an event are read from. */
export type MatchedEvent = Pick<RequestContext, 'data' | 'custom' | 'consent'> & {
  identity: Identity
  captured: CapturedValues
}

/** One match key of a provider. `isGiven`: the person has a value for it, right or wrong. */
export type MatchKeyReader = MatchKey & {
  isPresent(event: MatchedEvent): boolean
  isGiven(event: MatchedEvent): boolean
}

const idKeys: ReadonlySet<RuleKey> = new Set(['customerId', 'anyStableId'])

const hasText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

function fieldReader(key: MatchKey, rule: UserRule, { user: rules }: Pick<Provider, 'user'>): MatchKeyReader {
  const field = key.vendorKey
  const mayHoldContact = idKeys.has(rule.key) && !rule.hash
  return {
    ...key,
    isGiven: ({ identity }) => hasText(rawValue(rule.key, identity.person)),
    isPresent({ identity }) {
      const value = identity.read(rule)
      if (value === undefined || !mayHoldContact) return value !== undefined
      return withoutContactIds({ [field]: value }, rules, rawContacts(identity.person, rules))[field] !== undefined
    },
  }
}

/** A `*` in the name stands for any text. */
function capturedReader(key: MatchKey): MatchKeyReader {
  const [before = '', after] = key.vendorKey.split('*', 2)
  const isPresent = ({ captured }: MatchedEvent): boolean => {
    if (after === undefined) return Boolean(captured[key.vendorKey]?.value)
    for (const name in captured)
      if (name.startsWith(before) && name.endsWith(after) && captured[name]?.value) return true
    return false
  }
  return { ...key, isPresent, isGiven: isPresent }
}

function appReader(key: MatchKey): MatchKeyReader {
  const isPresent = (event: MatchedEvent) => key.vendorKey in appIds(event, [key.vendorKey])
  return { ...key, isPresent, isGiven: isPresent }
}

function createReaders(provider: Provider): MatchKeyReader[] {
  return matchKeysOf(provider).map((key) => {
    if (key.key === 'captured') return capturedReader(key)
    if (key.key === 'app') return appReader(key)
    return fieldReader(key, provider.user[key.vendorKey]!, provider)
  })
}

const readers = new WeakMap<Provider, readonly MatchKeyReader[]>()

/** The match keys of a provider, the strongest first; none for a provider that matches nobody. */
export function matchKeyReaders(provider: Provider): readonly MatchKeyReader[] {
  const known = readers.get(provider) ?? createReaders(provider)
  readers.set(provider, known)
  return known
}
