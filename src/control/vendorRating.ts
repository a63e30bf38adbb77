import { LRUCache } from 'lru-cache'
import type { VendorRating } from '#contract/matchQuality.ts'
import { bodyJson, judge } from '#provider/engine/judgement.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RatedEvent, Rating } from '#provider/form/rating.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import type { ControlDeps } from './controlDeps.ts'
import { openKeptSecrets } from './draftSecrets.ts'

/** A vendor is asked again after this: its figure is that of days. */
const keptMs = 6 * 3_600_000
/** The same after a failure, so that a new token is tried soon and a vendor that is down is left alone. */
const failedMs = 60_000
const maxEvents = 100
const maxNameLength = 200

type Asked = { until: number; rating: Promise<VendorRating> }
/** By the channel and the versions of its secrets. Each process asks for itself. */
const asked = new LRUCache<string, Asked>({ max: 1_000 })
const keyOf = ({ scriptId, secrets }: RatedScript) => `${scriptId} ${JSON.stringify(secrets)}`

type RatedScript = Pick<SnapshotScript, 'scriptId' | 'secrets'> & { teamId: string }
type RatingDeps = Pick<ControlDeps, 'clock' | 'send' | 'environment' | 'store' | 'keys'>

const isBetween = (value: unknown, to: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= to

/** What a vendor says is as hostile as what anybody sends. */
const shownEvents = (events: readonly RatedEvent[], { of }: Pick<Rating<never>, 'of'>) =>
  events.slice(0, maxEvents).map(({ eventName, score, coverage }) => ({
    eventName: eventName.slice(0, maxNameLength),
    ...(isBetween(score, of) && { score }),
    ...(isBetween(coverage, 1) && { coverage }),
  }))

async function ask(provider: Provider, script: RatedScript, deps: RatingDeps): Promise<VendorRating> {
  const rating = provider.rating!
  const at = deps.clock.now()
  const secrets = await openKeptSecrets(deps, script)
  const result = await deps.send(toWireRequest(rating.request(secrets), at), provider.host)
  const head = { name: rating.name, of: rating.of, at }
  const { verdict } = judge(provider, result, at)
  if (verdict === 'keyRejected' || verdict === 'refused') return { ...head, error: 'TOKEN_REFUSED' }
  if (verdict !== 'delivered' || 'failed' in result) return { ...head, error: 'VENDOR_DOWN' }
  const events = rating.read(bodyJson(result.body))
  return events ? { ...head, events: shownEvents(events, rating) } : { ...head, error: 'ANSWER_UNKNOWN' }
}

/**
 * The vendor's own rating of a channel: what it said within six hours. `asks`: it is asked where it did not. Undefined for a
 * vendor that has none.
 */
export async function readVendorRating(
  provider: Provider,
  script: RatedScript,
  asks: boolean,
  deps: RatingDeps,
): Promise<VendorRating | undefined> {
  if (!provider.rating) return undefined
  const { name, of } = provider.rating
  const key = keyOf(script)
  const known = asked.get(key)
  if (known && known.until > deps.clock.now()) return known.rating
  if (!asks) return { name, of }
  const entry: Asked = { until: deps.clock.now() + keptMs, rating: ask(provider, script, deps) }
  asked.set(key, entry)
  try {
    const rating = await entry.rating
    if (rating.error) entry.until = deps.clock.now() + failedMs
    return rating
  } catch (error) {
    asked.delete(key)
    throw error
  }
}
