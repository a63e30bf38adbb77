import { type ChannelStatus, endedOf, healthOf, type LastHour } from '#contract/channel.ts'
import type { ChannelFigures } from '#store/journalQueries.ts'
import type { ChannelPause, ScriptRecord, TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readEventIdsAt } from './eventIds.ts'
import { readAllPages } from './pagination.ts'
import { readPauses } from './readPauses.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'
import { isFailedRun, readRunsSince } from './webhookRuns.ts'

type ChannelFacts = {
  script: ScriptRecord
  isLive: boolean
  isPaused: boolean
  pause: ChannelPause | undefined
  figures: ChannelFigures
  lastHour: LastHour
  now: number
}

/** The state of a channel, and when an automatic state ends. A manual pause has precedence over an automatic one. */
function stateOf({
  isLive,
  isPaused,
  pause,
  figures,
  now,
}: ChannelFacts): Pick<ChannelStatus, 'state' | 'reason' | 'since' | 'nextAt'> {
  if (!isLive) return { state: 'draft' }
  if (isPaused) return { state: 'paused' }
  const { lastError, nextAt } = figures
  if (pause) {
    const { reason, since, until } = pause
    const state = reason === 'keyRejected' || reason === 'throttled' ? reason : 'vendorDown'
    return { state, reason, since, nextAt: until }
  }
  const isThrottled = lastError?.status === 'pending' && lastError.reason === 'throttled' && (nextAt ?? 0) > now
  if (isThrottled) return { state: 'throttled', reason: 'throttled', since: lastError.at, nextAt: nextAt! }
  return { state: 'ok', ...(nextAt !== undefined && { nextAt }) }
}

/** The channel as the API returns it, without the event id of its last error. */
function toChannel(facts: ChannelFacts): ChannelStatus {
  const { script, lastHour, now } = facts
  const { scriptId: _, lastError, nextAt: __, ...figures } = facts.figures
  const { scriptId, name, providerId } = script
  const { state, ...stop } = stateOf(facts)
  const health = healthOf({ state, lastHour, now, ...figures })
  const channel = { scriptId, name, providerId, state, health, lastHour, ...stop, ...figures }
  if (!lastError) return channel
  const { position: ___, index: ____, ...error } = lastError
  return { ...channel, lastError: error }
}

const hourMs = 3_600_000

/** The deliveries and runs of the last hour, by script. */
async function readLastHours(deps: ControlDeps, tag: TagRecord, scripts: readonly ScriptRecord[], now: number) {
  const { tagId, teamId } = tag
  const range = { from: now - hourMs, to: now + 1, step: 'hour' } as const
  const { byScript } = await deps.store.queries(teamId).stats(tagId, range)
  const lastHours = new Map<string, LastHour>()
  for (const { scriptId, providerId } of scripts) {
    const ended = endedOf(byScript.find((row) => row.scriptId === scriptId)?.counts ?? {})
    const runs = providerId === 'webhook' ? await readRunsSince(deps, teamId, scriptId, range.from) : []
    const failedRuns = runs.filter(isFailedRun).length
    lastHours.set(scriptId, { ...ended, runs: runs.length, failedRuns })
  }
  return lastHours
}

/** The channels of a tag, drafts included. Throws QueryRefused. */
export async function readChannels(deps: ControlDeps, tag: TagRecord): Promise<ChannelStatus[]> {
  const { tagId, teamId } = tag
  const scripts = await readAllPages((page) => deps.store.scripts(tagId, page))
  const live = new Map(deps.snapshots.get(tagId)?.scripts.map((script) => [script.scriptId, script]))
  const scriptIds = scripts.map(({ scriptId }) => scriptId)
  const pauses = await readPauses(deps, scriptIds)
  const figures = await deps.store.queries(teamId).channels(tagId, scriptIds)
  const now = deps.clock.now()
  const lastHours = await readLastHours(deps, tag, scripts, now)
  return runFairly(deps, teamId, async () => {
    const channels: ChannelStatus[] = []
    for (const [n, script] of scripts.entries()) {
      const { scriptId } = script
      const isPaused = live.has(scriptId) && deps.snapshots.isPaused(scriptId)
      const facts = { script, isLive: live.has(scriptId), isPaused, pause: pauses.get(scriptId), now }
      const channel = toChannel({ ...facts, figures: figures[n]!, lastHour: lastHours.get(scriptId)! })
      const { lastError } = figures[n]!
      const eventId = lastError && (await readEventIdsAt(deps, tag, lastError.position))[lastError.index]
      channels.push(
        channel.lastError && eventId !== undefined
          ? { ...channel, lastError: { ...channel.lastError, eventId } }
          : channel,
      )
    }
    return channels
  })
}

export const listChannels: AnswerFor<'listChannels'> = async ({ params, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  return { channels: await readChannels(deps, tag) }
}
