import type { ErrorObject } from '#contract/errorObject.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { Type } from '#contract/schema.ts'

/** An operator's command as the command line sends it to the process that holds the data directory. */
export const OperatorCall = Type.Object({
  command: Type.String(),
  environment: Type.Enum([...environments]),
  input: Type.Record(Type.String(), Type.Unknown()),
})
export type OperatorCall = { command: string; environment: EnvironmentName; input: Record<string, unknown> }

/** The outcome of a command: its result, or an Error object. */
export type OperatorOutcome = { result: Record<string, unknown> } | { refused: ErrorObject }

/** The result of one check of the doctor. */
export type DoctorFinding = { name: string; ok: boolean; message: string }

/** Wrong usage of the command line: exit code 2. */
export class UsageError extends Error {}
