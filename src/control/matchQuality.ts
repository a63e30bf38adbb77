import { badRequest } from '#contract/fault.ts'
import { type MatchChannel, type MatchQuality, maxMatchRangeMs, type VendorRating } from '#contract/matchQuality.ts'
import { defined } from '#kit/defined.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { type CountedChannel, matchReport, type ReportedChannel } from '#match/matchReport.ts'
import { bodyJson, judge } from '#provider/engine/judgement.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RatedEvent, Rating } from '#provider/form/rating.ts'
import { providers } from '#providers/index.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import type { MatchExample } from '#store/matchCounts.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openKeptSecrets } from './draftSecrets.ts'
import { readEventIdsAt } from './eventIds.ts'
import { requireTag } from './tags.ts'

/** A vendor's rating is cached this long: it covers days. */
const keptMs = 6 * 3_600_000
/** A failure is cached this long, so that a new token is tried soon and an unavailable vendor is not called all the time. */
const failedMs = 60_000
const maxEvents = 100
const maxNameLength = 200

type Asked = { until: number; rating: Promise<VendorRating> }
/** By channel and secret versions. Each process has its own cache. */
const asked = createLruCache<string, Asked>(1_000)
const keyOf = ({ scriptId, secrets }: RatedScript) => `${scriptId} ${JSON.stringify(secrets)}`

type RatedScript = Pick<SnapshotScript, 'scriptId' | 'secrets'> & { teamId: string }
type RatingDeps = Pick<ControlDeps, 'clock' | 'send' | 'environment' | 'store' | 'keys'>

const isBetween = (value: unknown, to: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= to

/** The events of a rating for display. A vendor's answer is untrusted input. */
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
 * The vendor's own rating of a channel, at most six hours old. `asks`: requests it from the vendor if none is cached.
 * Undefined for a vendor without ratings.
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

const hourMs = 3_600_000
const defaultRangeMs = 7 * 24 * hourMs

/** The full hours that contain a time range. Throws badRequest. */
function parseHours({ from, to }: { from?: number; to?: number }, now: number): { from: number; to: number } {
  const end = to ?? now
  const start = from ?? end - defaultRangeMs
  if (start >= end) throw badRequest({ path: 'from', message: 'must be before `to`' })
  if (end - start > maxMatchRangeMs) throw badRequest({ path: 'from', message: 'must be at most 35 days before `to`' })
  return { from: Math.floor(start / hourMs) * hourMs, to: Math.ceil(end / hourMs) * hourMs }
}

type DeployedChannel = ReportedChannel & { provider: Provider; script: SnapshotScript }

/** The deployed channels of a tag, or the one with this id. Throws badRequest. */
function channelsOf({ tagId }: TagRecord, scriptId: string | undefined, { snapshots }: ControlDeps): DeployedChannel[] {
  const deployed = (snapshots.get(tagId)?.scripts ?? []).flatMap((script): DeployedChannel[] => {
    const { scriptId: id, name, providerId } = script
    const provider = providers[providerId]
    return provider ? [{ scriptId: id, name, providerId, provider, script }] : []
  })
  if (scriptId === undefined) return deployed
  const channel = deployed.find((each) => each.scriptId === scriptId)
  if (!channel) throw badRequest({ path: 'scriptId', message: 'is not a deployed channel of this tag' })
  return [channel]
}

/** The channel with the event ids of those examples that are still in the journal. */
async function withExamples(
  { findings, ...channel }: CountedChannel,
  examples: readonly MatchExample[],
  deps: ControlDeps,
  tag: TagRecord,
): Promise<MatchChannel> {
  const shown: MatchChannel['findings'] = []
  for (const { what, ...finding } of findings) {
    const place = examples.find((each) => each.scriptId === channel.scriptId && each.what === what)
    const eventId = place && (await readEventIdsAt(deps, tag, place.position))[place.index]
    shown.push({ ...finding, ...(eventId !== undefined && { example: { eventId } }) })
  }
  return { ...channel, findings: shown }
}

/** The vendor's rating with the score of one event name. */
function withScore(rating: VendorRating, eventName = 'Purchase'): VendorRating {
  const { events = [] } = rating
  const score = (events.find((each) => each.eventName === eventName) ?? events[0])?.score
  return { ...rating, ...(score !== undefined && { score }) }
}

export const readMatchQuality: AnswerFor<'readMatchQuality'> = async (
  { params, query, access },
  deps,
): Promise<MatchQuality> => {
  const tag = await requireTag(deps, access, params.tagId)
  const range = parseHours(query, deps.clock.now())
  const { scriptId, eventName, interval } = query
  const asks = query.vendor === 'ask'
  if (asks && scriptId === undefined) throw badRequest({ path: 'vendor', message: 'requires scriptId' })
  const reported = channelsOf(tag, scriptId, deps)
  await deps.intakeLog.flush()
  const record = await deps.store.queries(tag.teamId).matches(tag.tagId, {
    ...range,
    ...defined({ scriptId, eventName, step: interval }),
  })
  const options = { hasIntervals: interval !== undefined, hasKeys: scriptId !== undefined }
  const channels: MatchChannel[] = []
  for (const channel of matchReport(reported, record, options)) {
    const { provider, script } = reported.find((each) => each.scriptId === channel.scriptId)!
    const vendor = await readVendorRating(provider, { ...script, teamId: tag.teamId }, asks, deps)
    const shown = await withExamples(channel, record.examples, deps, tag)
    channels.push({ ...shown, ...(vendor && { vendor: withScore(vendor, eventName) }) })
  }
  return { ...range, channels }
}
