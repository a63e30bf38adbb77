import { readFileSync, statSync } from 'node:fs'
import { type Static, Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'

/** Positive numbers by currency. */
export const RateTable = Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.Number({ exclusiveMinimum: 0 }), {
  additionalProperties: false,
})

/** The value of one unit of `base` in each currency, in the usual format of exchange rate services. */
const RatesFile = Type.Object({ base: Type.String({ pattern: '^[A-Z]{3}$' }), rates: RateTable })
export type Rates = Static<typeof RatesFile>

const checkRates = compileValidator(RatesFile)
const pollMs = 60_000

/** Throws an error with a message for the operator. */
function readRatesFile(file: string): Rates {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (checkRates(parsed).length === 0) return parsed as Rates
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code) throw new Error(`The rates file ${file} cannot be read (${code}).`)
  }
  throw new Error(`The rates file ${file} does not contain {"base": "EUR", "rates": {"USD": 1.08, …}}.`)
}

/**
 * The operator's exchange rates. Undefined without a file. A changed file is read again within a minute; if it is
 * invalid, the previous rates stay in effect. Throws if the file is invalid at startup.
 */
export function openExchangeRates(
  file: string | undefined,
  deps: { clock: Pick<Clock, 'now'>; log: Log },
): () => Rates | undefined {
  if (file === undefined) return () => undefined
  const changedAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs
  let current = { rates: readRatesFile(file), changedAt: changedAt() }
  let checkedAt = deps.clock.now()
  return () => {
    const now = deps.clock.now()
    if (Math.abs(now - checkedAt) < pollMs) return current.rates
    checkedAt = now
    if (changedAt() === current.changedAt) return current.rates
    try {
      current = { rates: readRatesFile(file), changedAt: changedAt() }
    } catch (error) {
      deps.log({ level: 'error', message: 'could not read the rates file; the exchange rates are unchanged', error })
    }
    return current.rates
  }
}
