import { Fault, type FaultName, fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import type { AttemptName, AttemptStore } from '#store/attempts.ts'
import type { Keyring } from './keyring.ts'

type AttemptLimiterDeps = {
  clock: Pick<Clock, 'now'>
  keys: Pick<Keyring, 'hashToken'>
  store: { attempts: AttemptStore }
}

/** What is attempted, and what it is counted by. */
type AttemptPurpose =
  | 'sign-in address'
  | 'sign-in address and e-mail'
  | 'sign-in e-mail'
  | 'sign-in device'
  | 'sign-up address'
  | 'sign-up invitation'
  | 'change of a person'
  | 'reset address'
  | 'reset e-mail'
  | 'invitation mail'

/**
 * Counts attempts for all processes together, in the store. A name is stored as a keyed fingerprint. Every function may
 * throw Unwritable and the errors of the database.
 */
export type AttemptLimiter = {
  /**
   * Counts an attempt for each of these names before it runs, so that concurrent attempts cannot exceed the limit. If
   * one name is over its limit, none is counted. The count is undone if the request was malformed or the server
   * overloaded. Throws tooManyAttempts, and the errors of `run`.
   */
  runCounted<Result>(names: readonly AttemptName[], run: () => Promise<Result>): Promise<Result>
  /** Undoes one attempt that was counted before it succeeded. */
  undo(name: AttemptName): Promise<void>
  reset(name: AttemptName): Promise<void>
  /** At most `max` attempts of a name in 15 minutes. */
  name(purpose: AttemptPurpose, value: string, max: number): AttemptName
  /** Above `max`, attempts of a name wait increasingly long: from one second up to `maxMs`. */
  slowed(purpose: AttemptPurpose, value: string, max: number, maxMs: number, windowMs?: number): AttemptName
}

const windowMs = 15 * 60_000
const sweepMs = 60_000
/** Each row has about 100 bytes. */
const maxNames = 100_000

const uncountedFaults: readonly FaultName[] = ['badRequest', 'overloaded']
const isUncounted = (error: unknown) => error instanceof Fault && uncountedFaults.includes(error.fault)

export function createAttemptLimiter({ clock, keys, store: { attempts } }: AttemptLimiterDeps): AttemptLimiter {
  let sweptAt = Number.NEGATIVE_INFINITY

  const fingerprint = (purpose: AttemptPurpose, value: string) => keys.hashToken(`attempt\0${purpose}\0${value}`)

  async function sweepIfDue(nowMs: number): Promise<void> {
    if (nowMs - sweptAt < sweepMs) return
    sweptAt = nowMs
    await attempts.sweep(nowMs, maxNames)
  }
  async function undoAll(names: readonly AttemptName[]): Promise<void> {
    for (const { name } of names) await attempts.undo(name)
  }
  async function countAll(names: readonly AttemptName[]): Promise<void> {
    const nowMs = clock.now()
    await sweepIfDue(nowMs)
    for (const [place, each] of names.entries()) {
      const waitMs = await attempts.count(each, nowMs)
      if (waitMs === 0) continue
      await undoAll(names.slice(0, place))
      throw fault('tooManyAttempts', { headers: { 'retry-after': `${Math.ceil(waitMs / 1_000)}` } })
    }
  }
  return {
    async runCounted(names, run) {
      await countAll(names)
      try {
        return await run()
      } catch (error) {
        if (isUncounted(error)) await undoAll(names)
        throw error
      }
    },
    undo: ({ name }) => attempts.undo(name),
    reset: ({ name }) => attempts.reset(name),
    name: (purpose, value, max) => ({ name: fingerprint(purpose, value), max, windowMs }),
    slowed: (purpose, value, max, maxMs, windowOfMs = windowMs) => ({
      name: fingerprint(purpose, value),
      max,
      windowMs: windowOfMs,
      delay: { firstMs: 1_000, maxMs },
    }),
  }
}
