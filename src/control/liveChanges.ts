import type { ChannelStatus } from '#contract/channel.ts'
import type { LiveRefusal } from '#contract/intake.ts'
import type { LiveKind } from '#contract/live.ts'
import { personalTextsOfLive } from '#contract/personalTexts.ts'
import type { LiveRun } from '#contract/webhookRun.ts'
import type { ReplayRecord, ReplayTally } from '#store/replays.ts'
import type { TagRecord } from '#store/store.ts'
import { alertRow } from './alerts.ts'
import { readChannels } from './channels.ts'
import type { ControlDeps } from './controlDeps.ts'
import type { TagLiveMessage } from './liveMessage.ts'
import { withoutPersonalTexts } from './maskTexts.ts'
import { readPauses } from './readPauses.ts'
import { readLiveRuns } from './webhookRuns.ts'

/** Replays, alerts and runs of webhooks are read this often. The state of channels and deployments is in memory. */
const readMs = 2_000
/** The maximum of rows of each kind that one look reads, and of refusals that wait for it. */
const maxRows = 20
const maxRefusals = 200

/** What is looked at besides events and deliveries. Each look returns what changed since the one before. */
export type LiveChanges = Disposable & {
  look(wanted: ReadonlySet<LiveKind>): Promise<TagLiveMessage[]>
}

/** The values of a map that are new or have changed since the last call; none at the first call. */
function createChangeFinder<Value>() {
  let before: ReadonlyMap<string, string> | undefined
  return (current: ReadonlyMap<string, Value>): Value[] => {
    const texts = new Map([...current].map(([key, value]) => [key, JSON.stringify(value)]))
    const known = before
    before = texts
    return known ? [...current].filter(([key]) => known.get(key) !== texts.get(key)).map(([, value]) => value) : []
  }
}

const sumOf = (tally: ReplayTally, name: 'matched' | 'replayed') =>
  Object.values(tally).reduce((sum, counts) => sum + counts[name], 0)
const replayData = ({ replayId, state, tally }: ReplayRecord) => ({
  replayId,
  state,
  matched: sumOf(tally, 'matched'),
  replayed: sumOf(tally, 'replayed'),
})

/** What decides the state of each channel, without reading its deliveries. */
async function channelFacts(deps: ControlDeps, { tagId }: TagRecord): Promise<Map<string, unknown[]>> {
  const scripts = deps.snapshots.get(tagId)?.scripts ?? []
  const pauses = await readPauses(
    deps,
    scripts.map(({ scriptId }) => scriptId),
  )
  return new Map(
    scripts.map(({ scriptId }): [string, unknown[]] => {
      const { reason, since, until } = pauses.get(scriptId) ?? {}
      return [scriptId, [scriptId, deps.snapshots.isPaused(scriptId), reason, since, until]]
    }),
  )
}

const readLiveChannels = async (deps: ControlDeps, tag: TagRecord): Promise<ChannelStatus[]> =>
  withoutPersonalTexts(personalTextsOfLive.channel, await readChannels(deps, tag))

export function openLiveChanges(deps: ControlDeps, tag: TagRecord): LiveChanges {
  const { tagId, teamId } = tag
  const { store, snapshots, clock } = deps
  const findChannels = createChangeFinder<unknown[]>()
  const findReplays = createChangeFinder<ReturnType<typeof replayData>>()
  const findAlerts = createChangeFinder<ReturnType<typeof alertRow>>()
  const findRuns = createChangeFinder<LiveRun>()
  let deployment = snapshots.get(tagId)?.number
  let lastReadAt = Number.NEGATIVE_INFINITY
  let refusals: LiveRefusal[] = []
  const listener = deps.intakeLog.onRefusal(tagId, (refusal) => {
    if (refusals.length < maxRefusals) refusals.push(refusal)
  })

  async function changedChannels(): Promise<ChannelStatus[]> {
    const changed = new Set(findChannels(await channelFacts(deps, tag)).map(([scriptId]) => scriptId))
    const channels = changed.size === 0 ? [] : await readLiveChannels(deps, tag)
    return channels.filter(({ scriptId }) => changed.has(scriptId))
  }

  async function newDeployment(): Promise<TagLiveMessage[]> {
    const number = snapshots.get(tagId)?.number
    if (number === undefined || number === deployment) return []
    deployment = number
    const row = await store.deployment(tagId, number)
    return row ? [{ kind: 'deployment', data: { number, at: row.createdAt, by: row.by } }] : []
  }

  async function readRows(wanted: ReadonlySet<LiveKind>): Promise<TagLiveMessage[]> {
    if (clock.now() - lastReadAt < readMs) return []
    lastReadAt = clock.now()
    const page = { limit: maxRows }
    const replays = wanted.has('replay') ? (await store.replays.list(tagId, page)).rows.map(replayData) : []
    const alerts = wanted.has('alert') ? (await store.alerts.list(teamId, page)).rows.map(alertRow) : []
    const runs = wanted.has('run') ? await readLiveRuns(deps, tag, maxRows) : []
    const ofTag = alerts.filter((alert) => alert.tagId === tagId)
    return [
      ...findReplays(new Map(replays.map((row) => [row.replayId, row]))).map(
        (data) => ({ kind: 'replay', data }) as const,
      ),
      ...findAlerts(new Map(ofTag.map((row) => [row.alertId, row]))).map((data) => ({ kind: 'alert', data }) as const),
      ...findRuns(new Map(runs.map((row) => [row.runId, row]))).map((data) => ({ kind: 'run', data }) as const),
    ]
  }

  return {
    async look(wanted) {
      const refused = refusals
      refusals = []
      const channels = wanted.has('channel') ? await changedChannels() : []
      return [
        ...refused.map((data) => ({ kind: 'refusal', data }) as const),
        ...channels.map((data) => ({ kind: 'channel', data }) as const),
        ...(wanted.has('deployment') ? await newDeployment() : []),
        ...(await readRows(wanted)),
      ]
    },
    [Symbol.dispose]: () => listener[Symbol.dispose](),
  }
}
