import type { Activity } from '#kit/activity.ts'
import { scriptOf } from './attemptContext.ts'
import type { Channel } from './channel.ts'
import type { Breaker } from './circuitBreaker.ts'
import type { ChannelEvent, DeliveryDeps } from './deliveryDeps.ts'
import type { Scheduler } from './scheduler.ts'

export type BreakerPersistenceDeps = Pick<DeliveryDeps, 'clock' | 'log' | 'onChannelEvent'> & {
  activity: Activity
  snapshots: Pick<DeliveryDeps['snapshots'], 'get'>
  store: { journal: Pick<DeliveryDeps['store']['journal'], 'pauses' | 'pause' | 'resume'> }
}

/** Writes to the journal which channels their circuit breaker has stopped, and reports each change. */
export type BreakerPersistence = {
  /** Restores the open breakers of tags from the journal. */
  restore(scheduler: Scheduler, isRestored: (tagId: string) => boolean): Promise<void>
  /** Writes and reports a changed breaker of a channel. */
  persist(channel: Channel): void
  /** Closes the breakers of channels whose secrets changed or that were resumed by hand. */
  closeResumed(scheduler: Scheduler): Promise<void>
}

type NotClosed = Exclude<Breaker, { state: 'closed' }>

/** The references to a channel's secrets. They change if a secret changes. */
function secretReferences({ facts, scriptId }: Channel, snapshots: BreakerPersistenceDeps['snapshots']): string {
  const tag = snapshots.get(facts.tagId)
  return JSON.stringify((tag && scriptOf(tag, scriptId)?.secrets) ?? {})
}

export function openBreakerPersistence(deps: BreakerPersistenceDeps): BreakerPersistence {
  const { journal } = deps.store
  /** Channels whose pause is not in the journal yet. */
  const unwritten = new Set<string>()
  const logFailure = (error: unknown) =>
    deps.log({ level: 'error', message: 'could not write the breaker of a channel', error })
  const report = (kind: ChannelEvent['kind'], { facts: { tagId }, scriptId }: Channel, { reason }: NotClosed) => {
    deps.log({ message: 'channel', kind, tagId, scriptId, reason })
    deps.onChannelEvent({ kind, tagId, scriptId, reason, at: deps.clock.now() })
  }
  const secretsOf = (channel: Channel) => secretReferences(channel, deps.snapshots)

  function recordOpen(channel: Channel, before: Breaker, after: Extract<Breaker, { state: 'open' }>): void {
    const { scriptId, facts } = channel
    const { state: _, ...opening } = after
    unwritten.add(scriptId)
    const pause = { scriptId, tagId: facts.tagId, ...opening, secrets: secretsOf(channel) }
    const written = deps.activity.run(() => journal.pause(pause))
    void written.then(() => unwritten.delete(scriptId), logFailure)
    if (before.state === 'closed' || before.reason !== after.reason) report('paused', channel, after)
  }
  function recordClosed(channel: Channel, before: NotClosed): void {
    void deps.activity.run(() => journal.resume(channel.scriptId)).catch(logFailure)
    report(before.reason === 'keyRejected' ? 'resumed' : 'recovered', channel, before)
  }
  function persist(channel: Channel): void {
    const change = channel.health.takeBreakerChange()
    if (!change) return
    const { before, after } = change
    if (after.state === 'open') recordOpen(channel, before, after)
    else if (before.state !== 'closed') recordClosed(channel, before)
  }

  return {
    persist,
    async restore(scheduler, isRestored) {
      for (const { scriptId, tagId, reason, since, until, times } of await journal.pauses()) {
        if (!isRestored(tagId)) continue
        const channel = scheduler.channel(scriptId)
        channel.describe({ tagId })
        channel.health.restore({ state: 'open', reason, since, until, times })
      }
    },
    async closeResumed(scheduler) {
      const stopped = [...scheduler.channels()].filter(({ health }) => health.isStoppedInJournal())
      if (stopped.length === 0) return
      const pauses = await journal.pauses(stopped.map(({ scriptId }) => scriptId))
      const paused = new Map(pauses.map((pause) => [pause.scriptId, pause]))
      for (const channel of stopped) {
        const pause = paused.get(channel.scriptId)
        if (unwritten.has(channel.scriptId)) continue
        if (pause && pause.secrets === secretsOf(channel)) continue
        channel.health.close(deps.clock.now())
        persist(channel)
      }
    },
  }
}
