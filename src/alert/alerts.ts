import type { ChannelEvent } from '#delivery/world.ts'
import { newId } from '#kit/id.ts'
import { hooksFor } from '#script/hook.ts'
import type { AlertRecord } from '#store/alerts.ts'
import { sendDue } from './send.ts'
import { type AlertWorld, whatOf } from './world.ts'

/** What befalls channels, told to their teams. */
export type Alerts = {
  /** Costs an addition; what becomes of it is nothing that delivery waits for. */
  told(event: ChannelEvent): void
  stop(): Promise<void>
}

/** A team is told of the same of one channel once in this time; what comes in between is counted and told after it. */
export const quietMs = 600_000
const lookMs = 1_000

type Waiting = ChannelEvent & { count: number; since: number }
const nameOf = ({ scriptId, kind }: Pick<ChannelEvent, 'scriptId' | 'kind'>) => `${scriptId} ${kind}`

export function openAlerts(on: AlertWorld): Alerts {
  const waiting = new Map<string, Waiting>()
  const stopping = new AbortController()

  function told(event: ChannelEvent): void {
    const before = waiting.get(nameOf(event))
    waiting.set(nameOf(event), { ...event, count: (before?.count ?? 0) + 1, since: before?.since ?? event.at })
  }
  async function tell(): Promise<void> {
    for (const [name, event] of waiting) {
      if (await isQuiet(event, on)) continue
      waiting.delete(name) // what comes from now on is told by the next one
      await write(event, on).catch((error) => {
        waiting.set(name, merged(event, waiting.get(name)))
        throw error
      })
    }
  }
  const loops = [
    repeat('write alerts', tell, on, stopping.signal),
    repeat('send alerts', () => sendDue(on), on, stopping.signal),
  ]
  return {
    told,
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

const merged = (event: Waiting, since: Waiting | undefined): Waiting =>
  since ? { ...since, count: since.count + event.count, since: event.since } : event

async function repeat(
  what: string,
  work: () => Promise<void>,
  { clock, log }: Pick<AlertWorld, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => log({ level: 'error', message: `could not ${what}`, error }))
    await clock.wait(lookMs, signal)
  }
}

/** Asked of the store, so that a restart tells nothing twice. A clock that was set back keeps nobody quiet. */
async function isQuiet({ scriptId, kind }: Waiting, { store, clock }: AlertWorld): Promise<boolean> {
  const lastAt = await store.alerts.lastAt(scriptId, kind)
  const now = clock.now()
  return lastAt !== undefined && lastAt <= now && now < lastAt + quietMs
}

/** Writes an alert with its audit row, and which hooks are to be told. Of a tag that is gone nobody is told. */
async function write({ kind, tagId, scriptId, reason, count, since }: Waiting, on: AlertWorld): Promise<void> {
  const teamId = on.snapshots.get(tagId)?.teamId
  if (teamId === undefined) return
  const at = on.clock.now()
  const row: AlertRecord = { alertId: newId('alert', at), teamId, kind, tagId, scriptId, reason, count, since, at }
  const hooks = await hooksFor('alert', teamId, on)
  const after = { tagId, reason, count, since }
  await on.store.write([
    { add: 'alert', row, hookIds: hooks.map(({ hookId }) => hookId) },
    { add: 'audit', row: { at, by: 'aglet', what: whatOf(kind), teamId, object: scriptId, after } },
  ])
  on.log({
    level: kind === 'paused' || kind === 'dead' ? 'warn' : 'info',
    message: whatOf(kind),
    teamId,
    scriptId,
    ...after,
  })
}
