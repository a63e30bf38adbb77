import type { Breach, Shape } from './frames.ts'

/** One run of a customer's code. */
export type Job = {
  teamId: string
  /** Of the script and its version: runs of the same key may share what the code keeps in its globals. */
  key: string
  code: string
  /** The function that the code defines. */
  name: string
  shape: Shape
  params: Readonly<Record<string, unknown>>
  /** What the function finds in `params` besides: takes JSON values, gives one. What it throws is told by its message. */
  calls?: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>
  /** Plaintexts that are struck out of logs and errors. */
  secrets: readonly string[]
  /** What `fetch` does instead of fetching. */
  fetch?: (request: FetchRequest) => Promise<FetchAnswer>
}

export type LogLine = { level: 'log' | 'error'; text: string }

/** What went wrong. The place is the customer's own line and column. */
export type RunError = { message: string; line?: number; column?: number }

/**
 * How a run ended. `overloaded` and `off` say that it did not begin; `isWaiting` that its time was over while somebody outside
 * had not answered it.
 */
export type Ran = { logs: readonly LogLine[] } & (
  | { value: unknown }
  | { error: RunError }
  | { breach: Breach | 'params'; message: string; isWaiting?: true }
  | { notRun: 'overloaded' | 'off'; message: string }
)

export type FetchRequest = {
  url: string
  method: string
  headers: readonly (readonly [string, string])[]
  body: string | null
  redirect: 'follow' | 'error' | 'manual'
}
export type FetchAnswer = { url: string; status: number; headers: Record<string, string>; body: string }
