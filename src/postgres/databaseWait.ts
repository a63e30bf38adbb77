import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#kit/log.ts'
import { TooFewStandbys } from './checkDatabase.ts'
import { CommitUnknown, DatabaseAway, isAway, isLockTimeout, isRepeatable } from './databaseError.ts'

/** The start was aborted while it waited. */
export class StartEnded extends Error {
  override name = 'StartEnded'
}

/** The name of an environment's database in the log and in `/readyz`. */
export const databaseName = (environment: string): string => `${environment}.database`

/** Waits of a starting server. */
export type DatabaseWait = ReturnType<typeof openDatabaseWait>

/** How a server starts while a database is away. */
export type DatabaseStart = { log: Log; wait: DatabaseWait }

type WaitDeps = {
  log: Log
  signal: AbortSignal
  /** The pause between two runs. */
  pauseMs?: number
  /** A clock that is never set (ms). */
  monotonicMs?(): number
}

/** A new primary lists its standbys within some seconds. */
const standbysWithinMs = 15_000

/** https://www.postgresql.org/docs/15/errcodes-appendix.html: a wrong password or database name is a permanent error. */
const lastingCode = /^(28|3D)/

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { code } = error as { code?: unknown }
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(error.cause)]
}

/** Whether the database may recover without a change of settings. */
export function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseAway && codesOf(error).some((code) => lastingCode.test(code))) return false
  return isAway(error) || error instanceof CommitUnknown || isRepeatable(error) || isLockTimeout(error)
}

const sentence = 'waiting: no host of the database accepts writes'

export function openDatabaseWait({
  log,
  signal,
  pauseMs = 250,
  monotonicMs = performance.now.bind(performance),
}: WaitDeps) {
  const waiting = new Map<string, number>()
  /** The nesting depth of work with the same name. */
  const depths = new Map<string, number>()

  function begin(name: string, error: unknown): void {
    if (waiting.has(name)) return
    waiting.set(name, monotonicMs())
    log({ level: 'warn', message: 'the start waits for a database', database: name, reason: `${error}` })
  }
  function end(name: string): void {
    const since = waiting.get(name)
    if (since === undefined) return
    waiting.delete(name)
    log({ message: 'the database responds', database: name, waitedMs: Math.round(monotonicMs() - since) })
  }
  const isTemporary = (name: string, error: unknown) =>
    mayPass(error) ||
    (error instanceof TooFewStandbys && monotonicMs() - (waiting.get(name) ?? monotonicMs()) < standbysWithinMs)

  async function repeat<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    for (;;)
      try {
        if (signal.aborted) throw new StartEnded('the start was cancelled')
        return await work()
      } catch (error) {
        if (!isTemporary(name, error)) throw error
        begin(name, error)
        await wait(pauseMs, undefined, { signal }).catch(() => {})
      }
  }
  return {
    /**
     * Repeats work while a database is away, and throws every other error. `name`: the database's name in `reasons` and
     * in the log. Logs one line when the wait begins and one when it ends. Throws StartEnded when the signal is aborted.
     */
    async until<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
      const depth = depths.get(name) ?? 0
      depths.set(name, depth + 1)
      try {
        const result = await repeat(name, work)
        if (depth === 0) end(name)
        return result
      } finally {
        depths.set(name, depth)
      }
    },
    /** The databases that are waited for, each with a sentence that names no host. */
    reasons: () => Object.fromEntries([...waiting.keys()].map((name) => [name, sentence])),
  }
}
