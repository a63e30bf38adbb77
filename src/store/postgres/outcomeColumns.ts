import type { DeliveryOutcome } from '#store/store.ts'
import { isInRow } from './attemptStatements.ts'

export const stepsOf = ({ stepResults }: DeliveryOutcome) =>
  stepResults ? JSON.stringify(stepResults.map((result) => result ?? null)) : null

/** When the state of an outcome began; null: when its event was received. */
export const outcomeAt = ({ at, attempt }: DeliveryOutcome): number | null =>
  at ?? (attempt ? attempt.at + attempt.durationMs : null)

const noAttempt = [null, null, null, null, null, null]

/** The first attempt of a delivery, if it is stored in the row. */
export function firstColumns(outcome: DeliveryOutcome, packNumbers: readonly number[]) {
  if (!isInRow(outcome)) return noAttempt
  const { at, durationMs, httpStatus = null, packed, message = null } = outcome.attempt
  const bodies = packed ? [packNumbers[packed.pack] ?? null, packed.part] : [null, null]
  return [at, durationMs, httpStatus, ...bodies, message]
}
