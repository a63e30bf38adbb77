import { readFileSync, statSync } from 'node:fs'
import { check, type Static, Type } from '#contract/schema.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'

/** Positive numbers by currency. */
export const RateTable = Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.Number({ exclusiveMinimum: 0 }), {
  additionalProperties: false,
})

/** How much of each currency one unit of `base` is worth, as the usual services of exchange rates write it. */
const RatesFile = Type.Object({ base: Type.String({ pattern: '^[A-Z]{3}$' }), rates: RateTable })
export type Rates = Static<typeof RatesFile>

const issuesOf = check(RatesFile)
const lookMs = 60_000

/** Throws a sentence for the operator. */
function read(file: string): Rates {
  try {
    const said: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (issuesOf(said).length === 0) return said as Rates
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code) throw new Error(`The rates file ${file} cannot be read (${code}).`)
  }
  throw new Error(`The rates file ${file} does not hold {"base": "EUR", "rates": {"USD": 1.08, …}}.`)
}

/**
 * The operator's exchange rates; undefined without a file. A file that has changed is read again within a minute; one
 * that is wrong then leaves the rates as they were. Throws a sentence where it is wrong at the start.
 */
export function openRates(
  file: string | undefined,
  on: { clock: Pick<Clock, 'now'>; log: Log },
): () => Rates | undefined {
  if (file === undefined) return () => undefined
  const changedAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs
  let known = { rates: read(file), changedAt: changedAt() }
  let lookedAt = on.clock.now()
  return () => {
    const now = on.clock.now()
    if (Math.abs(now - lookedAt) < lookMs) return known.rates
    lookedAt = now
    if (changedAt() === known.changedAt) return known.rates
    try {
      known = { rates: read(file), changedAt: changedAt() }
    } catch (error) {
      on.log({ level: 'error', message: 'the exchange rates stay as they were', error })
    }
    return known.rates
  }
}
