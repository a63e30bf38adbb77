import type { PageRequest, ResultPage } from './cursor.ts'

/** How long runs are kept, and the maximum number of a script. Older runs are dropped. */
export const keptRunsMs = 7 * 86_400_000
export const keptRuns = 1_000

/**
 * A run of webhook code for an outside call. `sealed`: its content. `eventKeys`: the keys of the events that it
 * created.
 */
export type RunRecord = {
  runId: string
  tagId: string
  scriptId: string
  at: number
  sealed: Uint8Array
  eventKeys: readonly bigint[]
}

export type RunStore = {
  /** Newest first. */
  list(scriptId: string, page: PageRequest): Promise<ResultPage<Omit<RunRecord, 'eventKeys'>>>
  /** The run that created the event with one of these keys. */
  ofEvent(tagId: string, keys: readonly bigint[]): Promise<Pick<RunRecord, 'runId' | 'scriptId'> | undefined>
  /** True if there are runs or keys of events from before a time. */
  hasOlder(before: number): Promise<boolean>
}
