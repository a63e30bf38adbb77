import type { ErrorObject } from '#contract/fault.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { Type } from '#contract/schema.ts'

/** An operator's command as it travels from the command line to the process that has the data directory. */
export const Call = Type.Object({
  command: Type.String(),
  environment: Type.Enum([...environments]),
  input: Type.Record(Type.String(), Type.Unknown()),
})
export type Call = { command: string; environment: EnvironmentName; input: Record<string, unknown> }

/** What became of it: its result, or the Error object of what went wrong. */
export type Outcome = { result: Record<string, unknown> } | { refused: ErrorObject }

/** One thing that the doctor looked at. */
export type Finding = { name: string; ok: boolean; message: string }

/** The caller asked for something that cannot be: exit code 2. */
export class WrongUsage extends Error {}
