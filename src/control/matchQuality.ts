import { badRequest } from '#contract/fault.ts'
import { type MatchChannel, type MatchQuality, maxMatchRangeMs, type VendorRating } from '#contract/matchQuality.ts'
import { type CountedChannel, matchReport, type ReportedChannel } from '#match/matchReport.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import type { MatchExample } from '#store/matchCounts.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readEventIdsAt } from './eventIds.ts'
import { requireTag } from './tags.ts'
import { readVendorRating } from './vendorRating.ts'

const hourMs = 3_600_000
const defaultRangeMs = 7 * 24 * hourMs

/** The full hours that hold a time range. Throws badRequest. */
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
  if (!channel) throw badRequest({ path: 'scriptId', message: 'is no deployed channel of this tag' })
  return [channel]
}

/** The channel with the event ids of the examples that the journal still has. */
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

/** The vendor's rating with the figure of one event name. */
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
  if (asks && scriptId === undefined) throw badRequest({ path: 'vendor', message: 'needs a scriptId' })
  const reported = channelsOf(tag, scriptId, deps)
  await deps.intakeLog.flush()
  const record = await deps.store.queries(tag.teamId).matches(tag.tagId, {
    ...range,
    ...(scriptId !== undefined && { scriptId }),
    ...(eventName !== undefined && { eventName }),
    ...(interval && { step: interval }),
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
