import { setTimeout as wait } from 'node:timers/promises'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { Database } from '#postgres/database.ts'
import type { WorkLeases } from '../cluster.ts'
import { databaseNow, isOver, leaseMs, type ProcessMembership, startNoCallMs } from './membership.ts'

/** How often `exclusive` asks for a lease that another process holds. */
const askAgainMs = 100

export type PostgresLeases = WorkLeases & {
  /** Renews the leases that this process holds. */
  renew(): Promise<void>
  release(): Promise<void>
}

export function openLeases({
  database,
  membership,
  monotonicMs,
}: {
  database: Database
  membership: Pick<ProcessMembership, 'id'>
  monotonicMs(): number
}): PostgresLeases {
  /** The leases that this process holds, with the time of their last renewal. */
  const held = new Map<string, number>()

  /** A lease belongs to its owner until its time, or until its owner's row is gone. */
  async function take(names: readonly string[]): Promise<void> {
    const at = monotonicMs()
    const rows = await database.sql<{ name: string }>(
      `INSERT INTO lease SELECT name, $2, ${databaseNow} + ${leaseMs} FROM unnest($1::text[]) AS name
       ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until_ms = excluded.until_ms
         WHERE lease.owner = excluded.owner OR ${isOver('lease.until_ms')}
           OR NOT EXISTS (SELECT 1 FROM member WHERE member.id = lease.owner)
       RETURNING name`,
      [names.toSorted(), membership.id()],
    )
    const taken = new Set(rows.map(({ name }) => name))
    for (const name of names) taken.has(name) ? held.set(name, at) : held.delete(name)
  }
  const isHeld = (name: string) => monotonicMs() - (held.get(name) ?? Number.NEGATIVE_INFINITY) < startNoCallMs

  const withLock = keyedMutex()
  /** One statement at a time: a renewal that ended after the release of a lease would take it again, for ever. */
  const inTurn = <Result>(work: () => Promise<Result>) => withLock('statement', work)

  async function holds(name: string): Promise<boolean> {
    if (!isHeld(name)) await inTurn(() => take([name]))
    return isHeld(name)
  }
  const drop = (names: () => readonly string[]) =>
    inTurn(async () => {
      const dropped = names()
      if (dropped.length === 0) return
      for (const name of dropped) held.delete(name)
      await database.sql('DELETE FROM lease WHERE name = ANY($1) AND owner = $2', [dropped, membership.id()])
    })
  async function waitAndWork<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    while (!(await holds(name))) await wait(askAgainMs)
    return work().finally(() => drop(() => [name]))
  }
  return {
    holds,
    exclusive: (name, work) => withLock(`exclusive ${name}`, () => waitAndWork(name, work)),
    renew: () =>
      inTurn(async () => {
        if (held.size > 0) await take([...held.keys()])
      }),
    release: () => drop(() => [...held.keys()]),
  }
}
