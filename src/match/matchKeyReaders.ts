import type { Identity } from '#provider/engine/identity.ts'
import { appIdNames, appIds } from '#provider/form/appIds.ts'
import { type MatchKey, matchKeysOf } from '#provider/form/matchKeys.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { rawValue, type UserRule } from '#provider/form/userRule.ts'
import type { MatchNotes } from './matchNotes.ts'

/** The data from which the match keys of an event are read. */
export type MatchedEvent = Pick<RequestContext, 'event' | 'custom' | 'consent'> & {
  identity: Identity
  captured: CapturedValues
}

/** A match key of a provider. `rule`: set if the key is a field of the person. */
export type MatchKeyReader = MatchKey & { rule?: UserRule }

/** The match keys of a provider, the strongest first; none for a provider that matches nobody. */
export const matchKeyReaders = (provider: Provider): readonly MatchKeyReader[] =>
  matchKeysOf(provider).map(
    (key): MatchKeyReader =>
      key.key === 'captured' || key.key === 'app' ? key : { ...key, rule: provider.user[key.vendorKey]! },
  )

/** A `*` in the name stands for any text. */
function isCaptured(name: string, captured: CapturedValues): boolean {
  const star = name.indexOf('*')
  if (star < 0) return Boolean(captured[name]?.value)
  for (const each in captured)
    if (each.startsWith(name.slice(0, star)) && each.endsWith(name.slice(star + 1)) && captured[each]?.value)
      return true
  return false
}

const appNames: ReadonlySet<string> = new Set(appIdNames)
const noData = {}

/** False for nearly all events: they come from pages, which have no app ids. */
function mayHaveAppId({ event: { data = noData }, custom, captured }: MatchedEvent): boolean {
  for (const name in data) if (appNames.has(name)) return true
  for (const name in custom) if (appNames.has(name)) return true
  for (const name in captured) if (appNames.has(name)) return true
  return false
}

function hasAppId(name: string, matched: MatchedEvent, notes: MatchNotes): boolean {
  if (!notes.hasAppIds(matched.captured, () => mayHaveAppId(matched))) return false
  const { event, custom, captured, consent } = matched
  return name in appIds({ data: event.data ?? noData, custom, captured, consent }, [name])
}

/** The fields of a vendor as they are sent (`sentFields`). */
export type SentFields = Readonly<Record<string, string | undefined>>

/** Whether an event carries a match key, as it is sent. */
export function isPresent(
  { key, vendorKey, rule }: MatchKeyReader,
  matched: MatchedEvent,
  { sent, notes }: { sent: SentFields; notes: MatchNotes },
): boolean {
  if (rule) return sent[vendorKey] !== undefined
  return key === 'app' ? hasAppId(vendorKey, matched, notes) : isCaptured(vendorKey, matched.captured)
}

/** Whether the person has a value for a field that is not sent. */
export function isGiven({ rule }: MatchKeyReader, { identity }: MatchedEvent): boolean {
  const raw = rule && rawValue(rule.key, identity.person)
  return typeof raw === 'string' && raw.trim() !== ''
}
