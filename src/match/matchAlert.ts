import { type MatchCoverage, type MatchQuality, matchCoverages } from '#contract/matchQuality.ts'

/** A channel whose vendor can match fewer people than before. Shares are of the events of each time range. */
type MatchDrop = {
  scriptId: string
  before: { coverage: MatchCoverage; withStrongKey: number }
  now: { coverage: MatchCoverage; withStrongKey: number }
}

/** Fewer events tell nothing. */
const minEvents = 100
/** Around a limit the coverage changes by chance. */
const minDrop = 0.1

const rank = (coverage: MatchCoverage) => matchCoverages.indexOf(coverage)

/** The channels whose coverage is worse than before, by two reports of time ranges of the same length. */
export function matchDrops(before: Pick<MatchQuality, 'channels'>, now: Pick<MatchQuality, 'channels'>): MatchDrop[] {
  const earlier = new Map(before.channels.map((channel) => [channel.scriptId, channel]))
  return now.channels.flatMap(({ scriptId, events, withStrongKey, coverage }) => {
    const known = earlier.get(scriptId)
    if (!known?.coverage || !coverage || events < minEvents || known.events < minEvents) return []
    const isWorse = rank(coverage) > rank(known.coverage) && known.withStrongKey - withStrongKey >= minDrop
    const { coverage: oldCoverage, withStrongKey: oldShare } = known
    return isWorse
      ? [{ scriptId, before: { coverage: oldCoverage, withStrongKey: oldShare }, now: { coverage, withStrongKey } }]
      : []
  })
}
