import { setTimeout as wait } from 'node:timers/promises'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { Database } from '#postgres/database.ts'
import type { WorkLeases } from '../cluster.ts'
import { databaseNow, type ProcessMembership, startNoCallMs } from './membership.ts'

/** How often `exclusive` asks for a lease that another process holds. */
const askAgainMs = 100
/** How often `holds` asks for a lease that another process holds. */
const heldElsewhereMs = 5_000
/** Older versions take a lease whose end has passed or is too far ahead. This end is neither. */
const writtenForMs = 30_000
const writeAgainMs = 10_000

export type PostgresLeases = WorkLeases & {
  /**
   * Drops leases that a failed statement may have left. Renews the end of the leases of this process, so that older
   * versions do not take them.
   */
  renew(): Promise<void>
  release(): Promise<void>
}

type LeasesDeps = {
  database: Pick<Database, 'sql'>
  membership: Pick<ProcessMembership, 'id' | 'silentMs'>
  monotonicMs(): number
}

const takeLeases = `
  INSERT INTO lease SELECT name, $2, ${databaseNow} + ${writtenForMs} FROM unnest($1::text[]) AS name
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until_ms = excluded.until_ms
    WHERE lease.owner = excluded.owner OR NOT EXISTS (SELECT 1 FROM member WHERE member.id = lease.owner)
  RETURNING name`
const dropLeases = 'DELETE FROM lease WHERE name = ANY($1) AND owner = $2'
const dropOtherLeases = 'DELETE FROM lease WHERE name <> ALL($1) AND owner = $2'

/** The leases that another process held at the last request of this process. */
function recentRefusals(monotonicMs: () => number) {
  const at = new Map<string, number>()
  return {
    has: (name: string) => monotonicMs() - (at.get(name) ?? Number.NEGATIVE_INFINITY) < heldElsewhereMs,
    add: (name: string) => void at.set(name, monotonicMs()),
  }
}

/**
 * A lease lasts as long as its owner is a member. Other processes judge that by their own timers, so no database clock
 * ends a lease, whichever node is the primary.
 */
export function openLeases({ database, membership, monotonicMs }: LeasesDeps): PostgresLeases {
  /** The leases that this process holds, each with the id of the member that took it. */
  const held = new Map<string, string>()
  const refused = recentRefusals(monotonicMs)
  let writtenAt = Number.NEGATIVE_INFINITY
  /** True after a failed statement: the database may still have leases that this process no longer holds. */
  let isUnsure = false
  const doubt = (error: unknown) => {
    isUnsure = true
    throw error
  }

  async function take(names: readonly string[]): Promise<void> {
    const owner = membership.id()
    const rows = await database.sql<{ name: string }>(takeLeases, [names.toSorted(), owner])
    const taken = new Set(rows.map(({ name }) => name))
    for (const name of names) taken.has(name) ? held.set(name, owner) : held.delete(name)
  }
  const isHeld = (name: string) => held.get(name) === membership.id() && membership.silentMs() < startNoCallMs

  const withLock = keyedMutex()
  /** One statement at a time: a lease that is written after its release would never be released. */
  const inTurn = (work: () => Promise<void>) => withLock('statement', () => work().catch(doubt))
  const ask = async (name: string) => inTurn(() => take([name])).then(() => isHeld(name))
  async function holds(name: string): Promise<boolean> {
    if (isHeld(name)) return true
    if (refused.has(name)) return false
    const isMine = await ask(name)
    if (!isMine) refused.add(name)
    return isMine
  }
  const drop = (names: () => readonly string[]) =>
    inTurn(async () => {
      const dropped = names()
      if (dropped.length === 0) return
      for (const name of dropped) held.delete(name)
      await database.sql(dropLeases, [dropped, membership.id()])
    })
  return {
    holds,
    exclusive: (name, work) =>
      withLock(`exclusive ${name}`, async () => {
        while (!(await ask(name))) await wait(askAgainMs)
        return work().finally(() => drop(() => [name]))
      }),
    renew: () =>
      inTurn(async () => {
        const names = [...held.keys()]
        if (isUnsure) await database.sql(dropOtherLeases, [names, membership.id()])
        isUnsure = false
        if (names.length === 0 || monotonicMs() - writtenAt < writeAgainMs) return
        await take(names)
        writtenAt = monotonicMs()
      }),
    release: () => drop(() => [...held.keys()]),
  }
}
