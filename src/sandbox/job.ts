import type { LimitBreach, ResultKind } from './frames.ts'

/** One run of a customer's code. */
export type Job = {
  teamId: string
  /** Identifies the script and its version: runs with the same key may share the globals of the code. */
  key: string
  code: string
  /** The function that the code defines. */
  name: string
  resultKind: ResultKind
  params: Readonly<Record<string, unknown>>
  /** Functions added to `params`: JSON values in, a JSON value out. An error is passed to the code by its message. */
  calls?: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
  /** Plaintexts that are redacted from logs and errors. */
  secrets: readonly string[]
  /** Replaces `fetch`. */
  fetch?: (request: FetchRequest) => Promise<FetchResponse>
}

export type LogLine = { level: 'log' | 'error'; text: string }

/** An error of the code, with line and column in the customer's source. */
export type RunError = { message: string; line?: number; column?: number }

/**
 * The result of a run. `notRun`: it did not start. `isWaiting`: it exceeded its wall time while a call or fetch was
 * unanswered.
 */
export type RunResult = { logs: readonly LogLine[] } & (
  | { value: unknown }
  | { error: RunError }
  | { breach: LimitBreach | 'params'; message: string; isWaiting?: true }
  | { notRun: 'overloaded' | 'off'; message: string }
)

export type FetchRequest = {
  url: string
  method: string
  headers: readonly (readonly [string, string])[]
  body: string | null
  redirect: 'follow' | 'error' | 'manual'
}
export type FetchResponse = { url: string; status: number; headers: Record<string, string>; body: string }
