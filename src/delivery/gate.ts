import type { ChannelPause } from '#store/store.ts'
import { type Breaker, closedAt } from './breaker.ts'
import type { Channel } from './channel.ts'
import { scriptOf } from './ready.ts'
import type { Round } from './round.ts'
import type { ChannelEvent, DeliveryWorld } from './world.ts'

export type GateWorld = Pick<DeliveryWorld, 'clock' | 'log' | 'told'> & {
  snapshots: Pick<DeliveryWorld['snapshots'], 'get'>
  store: { journal: Pick<DeliveryWorld['store']['journal'], 'pauses' | 'pause' | 'resume'> }
}

/** Keeps in the journal which channels are stopped because of their vendor, and tells of it. */
export type Gates = {
  /** Stops what was stopped when the last worker ended. */
  restore(round: Round): Promise<void>
  /** Writes down, and tells, what has changed of a channel. */
  note(channel: Channel): void
  /** Lets channels go on of which a secret was changed, or that somebody resumed. */
  look(round: Round): Promise<void>
}

type Stop = Exclude<Breaker, { is: 'closed' }>

const isStopped = ({ noted }: Channel) => noted.is !== 'closed'

export function openGates(on: GateWorld): Gates {
  const { journal } = on.store
  /** Channels of which it is not in the journal yet that they are stopped. */
  const unwritten = new Set<string>()
  const failed = (error: unknown) => on.log({ level: 'error', message: 'could not note how a channel stands', error })
  const tell = (kind: ChannelEvent['kind'], { tagId, scriptId }: Channel, { reason }: Stop) => {
    on.log({ message: 'channel', kind, tagId, scriptId, reason })
    on.told({ kind, tagId, scriptId, reason, at: on.clock.now() })
  }
  const secretsOf = ({ tagId, scriptId }: Pick<ChannelPause, 'tagId' | 'scriptId'>) => {
    const tag = on.snapshots.get(tagId)
    return JSON.stringify((tag && scriptOf(tag, scriptId)?.secrets) ?? {})
  }

  function stop(channel: Channel, was: Breaker, is: Extract<Breaker, { is: 'open' }>): void {
    const { scriptId, tagId } = channel
    const { reason, since, until, times } = is
    unwritten.add(scriptId)
    const written = journal.pause({ scriptId, tagId, reason, since, until, times, secrets: secretsOf(channel) })
    void written.then(() => unwritten.delete(scriptId), failed)
    if (was.is === 'closed' || was.reason !== reason) tell('paused', channel, is)
  }
  function goOn(channel: Channel, was: Stop): void {
    void journal.resume(channel.scriptId).catch(failed)
    tell(was.reason === 'keyRejected' ? 'resumed' : 'recovered', channel, was)
  }
  function note(channel: Channel): void {
    const { noted: was, breaker: is } = channel
    if (is === was || is.is === 'probing') return
    channel.noted = is
    if (is.is === 'open') stop(channel, was, is)
    else if (was.is !== 'closed') goOn(channel, was)
  }

  return {
    note,
    async restore(round) {
      for (const { scriptId, tagId, reason, since, until, times } of await journal.pauses()) {
        const channel = round.channel(scriptId)
        channel.tagId = tagId
        channel.breaker = channel.noted = { is: 'open', reason, since, until, times }
      }
    },
    async look(round) {
      const stopped = [...round.channels()].filter(isStopped)
      if (stopped.length === 0) return
      const paused = new Map((await journal.pauses()).map((pause) => [pause.scriptId, pause]))
      for (const channel of stopped) {
        const pause = paused.get(channel.scriptId)
        if (unwritten.has(channel.scriptId)) continue
        if (pause && pause.secrets === secretsOf(channel)) continue
        channel.breaker = closedAt(on.clock.now())
        note(channel)
      }
    },
  }
}
