import { setTimeout as wait } from 'node:timers/promises'
import { slotCount } from '#cluster/slotOf.ts'
import type { Database } from '#postgres/database.ts'

/** The channel on which workers are notified of slots with new records. */
export const todoChannel = 'todo'

/**
 * The minimum time between two notices of a process about one slot. Workers read a notified slot for longer than this
 * (`slotReader`), so that they find records in between without a notice.
 */
const announceEveryMs = 1_000
/**
 * The pause between two notices of a process. Each notice takes a lock that all notices of the server share, and wakes
 * processes.
 */
const pauseMs = 20
const gatherMs = 10

/** Notifies the owners of slots of new records. */
export type AppendNotices = ReturnType<typeof openAppendNotices>

/**
 * A notice has its own transaction, after the records are committed: in the same transaction, it would make commits
 * wait for one another. It writes nothing to disk. The polling of the workers covers lost notices.
 */
export function openAppendNotices(
  { sql, schema }: Pick<Database, 'sql' | 'schema'>,
  { monotonicMs }: { monotonicMs(): number },
) {
  const announcedAt = new Map<number, number>()
  let appendedSince = new Set<number>()
  let isDue = false
  let closed = false
  let sending: Promise<void> | undefined

  const isAnnounced = (slot: number) =>
    monotonicMs() - (announcedAt.get(slot) ?? Number.NEGATIVE_INFINITY) < announceEveryMs

  async function sendOnce(): Promise<void> {
    const slots = [...appendedSince]
    appendedSince = new Set()
    isDue = false
    const at = monotonicMs()
    for (const slot of slots) announcedAt.set(slot, at)
    try {
      await sql('SELECT pg_notify($1, $2)', [`${schema}_${todoChannel}`, slots.join(' ')])
    } catch {
      for (const slot of slots) announcedAt.delete(slot) // so that the next record notifies the slot again
    }
  }
  async function send(): Promise<void> {
    while (isDue && !closed) {
      await sendOnce()
      await wait(pauseMs)
    }
    sending = undefined
  }
  return {
    /** Call it once new records of these slots are committed. */
    appended(slots: Iterable<number>): void {
      for (const slot of slots) {
        appendedSince.add(slot)
        if (!isAnnounced(slot)) isDue = true
      }
      if (isDue && !closed) sending ??= send()
    },
    /** Resolves when no notice is being sent. */
    async close(): Promise<void> {
      closed = true
      await sending
    },
  }
}

const isSlot = (number: number) => Number.isInteger(number) && number >= 0 && number < slotCount

/** The slots in a notice. Anyone who may connect to the database can send any text. */
export const readNotice = (payload: string): number[] => payload.split(' ').map(Number).filter(isSlot)

/**
 * Passes on the slots of a notice at once, and the slots of the next 10 ms together, so that a flood of notices causes
 * few reads.
 */
export function gatherNotices(appended: (slots: Iterable<number>) => void) {
  let next: Set<number> | undefined
  let timer: NodeJS.Timeout | undefined

  function pass(slots: Iterable<number>): void {
    appended(slots)
    next = new Set()
    timer = setTimeout(passNext, gatherMs)
  }
  function passNext(): void {
    const slots = next!
    next = undefined
    if (slots.size > 0) pass(slots)
  }
  return {
    notified(payload: string) {
      const slots = readNotice(payload)
      if (!next) pass(slots)
      else for (const slot of slots) next.add(slot)
    },
    close: () => clearTimeout(timer),
  }
}
