import {
  type MatchChannel,
  type MatchCoverage,
  type MatchFinding,
  type MatchFindingCode,
  type MatchKeyShare,
  matchFindingCodes,
} from '#contract/matchQuality.ts'
import type { MatchSource } from '#contract/matchSources.ts'
import { type MatchKeys, matchKeysOf } from '#provider/form/matchKeys.ts'
import type { UserRules } from '#provider/form/userRule.ts'
import type { MatchRecord, MatchStep, MatchSum } from '#store/matchCounts.ts'
import { partOfFinding } from './findingBits.ts'
import { matchAdvice } from './matchAdvice.ts'
import { minEvents, type SharedKind, sharedKinds } from './sharedValues.ts'

/** A deployed channel, and the match keys of its provider. */
export type ReportedChannel = {
  scriptId: string
  name: string
  providerId: string
  provider: { matchKeys?: MatchKeys; user: UserRules }
}

/** A finding is reported if its share is above this. */
const findingShare = 0.05
/** Many browsers have the same user agent: a shared one is a fault only if nearly all events of servers have it. */
const sharedShare: Record<SharedKind, number> = {
  ip: findingShare,
  email: findingShare,
  customerId: findingShare,
  _fbp: findingShare,
  userAgent: 0.9,
}

const share = (count: number, all: number) => (all === 0 ? 0 : Number((count / all).toFixed(4)))

const coverageOf = (withStrongKey: number): MatchCoverage =>
  withStrongKey >= 0.9 ? 'good' : withStrongKey >= 0.6 ? 'fair' : 'poor'

/** Adds up counts by `what`. */
function sumsOf(rows: Iterable<Pick<MatchSum, 'what' | 'count'>>): (what: string) => number {
  const sums = new Map<string, number>()
  for (const { what, count } of rows) sums.set(what, (sums.get(what) ?? 0) + count)
  return (what) => sums.get(what) ?? 0
}

type Sums = ReturnType<typeof sumsOf>

function keyShares(
  { provider }: ReportedChannel,
  all: Sums,
  bySource: Readonly<Record<MatchSource, Sums>>,
): MatchKeyShare[] {
  const events = all('events')
  return matchKeysOf(provider).map(({ key, vendorKey, strength }) => {
    const what = `key ${vendorKey}`
    const ofSource = (source: MatchSource) => {
      const count = bySource[source]('events')
      return count > 0 ? { [source]: share(bySource[source](what), count) } : {}
    }
    return {
      key,
      vendorKey,
      strength,
      share: share(all(what), events),
      shareBySource: { ...ofSource('browser'), ...ofSource('server') },
      faulty: share(all(`faulty ${vendorKey}`), events),
    }
  })
}

/** The kind whose most frequent value is on the largest share of events. */
function sharedOf(all: Sums): { kind: SharedKind; share: number } | undefined {
  const found = sharedKinds.flatMap((kind) => {
    const total = all(`checked shared ${kind}`)
    const ofKind = share(all(`shared ${kind}`), total)
    return total >= minEvents && ofKind > sharedShare[kind] ? [{ kind, share: ofKind }] : []
  })
  return found.toSorted((one, other) => other.share - one.share)[0]
}

/** `what`: the name under which the finding is counted; it also selects the example. */
type CountedFinding = Omit<MatchFinding, 'example'> & { what: string }

function findingOf(code: MatchFindingCode, all: Sums): CountedFinding[] {
  if (code === 'SHARED_IDENTIFIER') {
    const shared = sharedOf(all)
    return shared ? [{ code, share: shared.share, advice: matchAdvice(code, shared.kind), what: '' }] : []
  }
  const what = `finding ${code}`
  const ofChecked = share(all(what), all(`checked ${partOfFinding[code]}`))
  return ofChecked > findingShare ? [{ code, share: Math.min(1, ofChecked), advice: matchAdvice(code), what }] : []
}

const byEventOf = (rows: readonly MatchSum[]): MatchChannel['byEvent'] =>
  [...Map.groupBy(rows, ({ eventName }) => eventName)]
    .filter(([eventName]) => eventName !== '')
    .map(([eventName, own]) => {
      const sums = sumsOf(own)
      return { eventName, events: sums('events'), withStrongKey: share(sums('strong'), sums('events')) }
    })
    .filter(({ events }) => events > 0)
    .sort((one, other) => other.events - one.events)

/** `hasKeys`: includes the share of each key. */
const intervalsOf = (steps: readonly MatchStep[], hasKeys: boolean): MatchChannel['intervals'] & object =>
  [...Map.groupBy(steps, ({ at }) => at)].map(([from, own]) => {
    const sums = sumsOf(own)
    const events = sums('events')
    const keys = own.flatMap(({ what }) => (what.startsWith('key ') ? [what.slice(4)] : []))
    return {
      from,
      events,
      withStrongKey: share(sums('strong'), events),
      ...(hasKeys && { keys: Object.fromEntries(keys.map((key) => [key, share(sums(`key ${key}`), events)])) }),
    }
  })

export type CountedChannel = Omit<MatchChannel, 'findings'> & { findings: CountedFinding[] }

/** The report of the channels that have match keys. */
export function matchReport(
  channels: readonly ReportedChannel[],
  { sums, steps }: Pick<MatchRecord, 'sums' | 'steps'>,
  { hasIntervals, hasKeys }: { hasIntervals: boolean; hasKeys: boolean },
): CountedChannel[] {
  const byScript = Map.groupBy(sums, ({ scriptId }) => scriptId)
  const stepsByScript = Map.groupBy(steps, ({ scriptId }) => scriptId)
  return channels
    .filter(({ provider }) => matchKeysOf(provider).length > 0)
    .map((channel) => {
      const { scriptId, name, providerId } = channel
      const own = byScript.get(scriptId) ?? []
      const all = sumsOf(own)
      const ofSource = (source: MatchSource) => sumsOf(own.filter((row) => row.source === source))
      const bySource = { browser: ofSource('browser'), server: ofSource('server') }
      const events = all('events')
      const withStrongKey = share(all('strong'), events)
      return {
        ...{ scriptId, name, providerId, events, withStrongKey },
        eventsBySource: { browser: bySource.browser('events'), server: bySource.server('events') },
        ...(events > 0 && { coverage: coverageOf(withStrongKey) }),
        keys: keyShares(channel, all, bySource),
        findings: matchFindingCodes
          .flatMap((code) => findingOf(code, all))
          .sort((one, other) => other.share - one.share),
        byEvent: byEventOf(own),
        ...(hasIntervals && { intervals: intervalsOf(stepsByScript.get(scriptId) ?? [], hasKeys) }),
      }
    })
}
