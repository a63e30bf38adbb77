import type { ChannelStatus } from '#contract/channel.ts'
import type { LiveRefusal } from '#contract/intake.ts'
import type { LiveData, LiveKind } from '#contract/live.ts'
import { personalTextsOfLive } from '#contract/personalTexts.ts'
import type { ReplayRecord, ReplayTally } from '#store/replays.ts'
import type { TagRecord } from '#store/store.ts'
import { alertRow } from './alerts.ts'
import { readChannels } from './channels.ts'
import type { ControlDeps } from './controlDeps.ts'
import type { TagLiveMessage } from './liveMessage.ts'
import { withoutPersonalTexts } from './maskTexts.ts'
import { readPauses } from './readPauses.ts'
import { readLiveRuns } from './webhookRuns.ts'

/** The interval for replays, alerts and webhook runs. The state of channels and deployments is in memory. */
const readMs = 2_000
const isInMemory: ReadonlySet<string> = new Set(['channel', 'deployment'])
/** Maximum rows of each kind per poll, and maximum refusals that wait for one. */
const maxRows = 20
const maxRefusals = 200

/** Polls everything besides events and deliveries. Each poll returns the changes since the previous one. */
export type LiveChanges = Disposable & {
  poll(wanted: ReadonlySet<LiveKind>): Promise<TagLiveMessage[]>
}

const sumOf = (tally: ReplayTally, name: 'matched' | 'replayed') =>
  Object.values(tally).reduce((sum, counts) => sum + counts[name], 0)
const replayData = ({ replayId, state, tally }: ReplayRecord) => ({
  replayId,
  state,
  matched: sumOf(tally, 'matched'),
  replayed: sumOf(tally, 'replayed'),
})

/** Finds the rows of a kind that are new or changed since the last call; none in the first call. */
function createChangeFinder() {
  const known = new Map<LiveKind, ReadonlySet<string>>()
  return <Row>(kind: LiveKind, rows: readonly Row[]): Row[] => {
    const texts = rows.map((row) => JSON.stringify(row))
    const before = known.get(kind)
    known.set(kind, new Set(texts))
    return before ? rows.filter((_, n) => !before.has(texts[n]!)) : []
  }
}

/** The facts that decide each channel's state, without reading deliveries. */
async function channelFacts(deps: ControlDeps, { tagId }: TagRecord) {
  const scriptIds = (deps.snapshots.get(tagId)?.scripts ?? []).map(({ scriptId }) => scriptId)
  const pauses = await readPauses(deps, scriptIds)
  return scriptIds.map((scriptId) => {
    const { reason, since, until } = pauses.get(scriptId) ?? {}
    return { scriptId, isPaused: deps.snapshots.isPaused(scriptId), reason, since, until }
  })
}

export function openLiveChanges(deps: ControlDeps, tag: TagRecord): LiveChanges {
  const { tagId, teamId } = tag
  const { store, snapshots, clock } = deps
  const changed = createChangeFinder()
  let lastReadAt = Number.NEGATIVE_INFINITY
  let refusals: LiveRefusal[] = []
  const listener = deps.intakeLog.onRefusal(tagId, (refusal) => {
    if (refusals.length < maxRefusals) refusals.push(refusal)
  })

  async function changedChannels(): Promise<ChannelStatus[]> {
    const scriptIds = changed('channel', await channelFacts(deps, tag)).map(({ scriptId }) => scriptId)
    const channels = scriptIds.length === 0 ? [] : await readChannels(deps, tag)
    return withoutPersonalTexts(
      personalTextsOfLive.channel,
      channels.filter(({ scriptId }) => scriptIds.includes(scriptId)),
    )
  }

  async function newDeployments(): Promise<LiveData['deployment'][]> {
    const [number] = changed('deployment', [snapshots.get(tagId)?.number])
    const row = number === undefined ? undefined : await store.deployment(tagId, number)
    return row ? [{ number: row.number, at: row.createdAt, by: row.by }] : []
  }

  const page = { limit: maxRows }
  const readers: { [Kind in LiveKind]?: () => Promise<LiveData[Kind][]> } = {
    channel: changedChannels,
    deployment: newDeployments,
    replay: async () => changed('replay', (await store.replays.list(tagId, page)).rows.map(replayData)),
    alert: async () => {
      const { rows } = await store.alerts.list(teamId, page)
      return changed(
        'alert',
        rows.map(alertRow).filter((alert) => alert.tagId === tagId),
      )
    },
    run: async () => changed('run', await readLiveRuns(deps, tag, maxRows)),
  }

  return {
    async poll(wanted) {
      const refused = refusals
      refusals = []
      const isReadDue = clock.now() - lastReadAt >= readMs
      if (isReadDue) lastReadAt = clock.now()
      const messages = refused.map((data): TagLiveMessage => ({ kind: 'refusal', data }))
      for (const [kind, read] of Object.entries(readers))
        if (wanted.has(kind as LiveKind) && (isReadDue || isInMemory.has(kind)))
          messages.push(...(await read()).map((data) => ({ kind, data }) as TagLiveMessage))
      return messages
    },
    [Symbol.dispose]: () => listener[Symbol.dispose](),
  }
}
