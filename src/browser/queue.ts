import type { BrowserPage } from './browserPage.ts'
import { readJson, writeJson } from './jsonStorage.ts'

/** The result of a call: its entry in the edge's response, or the reason why there is none. */
export type UploadResult = { status?: string; message?: string; [field: string]: unknown }
export type EdgePath = '/tag' | '/user' | '/data' | '/consent'
export type CallBody = Record<string, unknown>

type SdkCall = { path: EdgePath; body: CallBody }

/** A call that the edge has not answered yet. Its copy in the site's storage, under `name`, outlives the page. */
export type QueuedCall = SdkCall & {
  name: string
  /** The number of 500 responses to it. */
  failures: number
  isInFlight?: boolean
  isBeaconed?: boolean
  settle(answer: UploadResult): void
}

export type CallQueue = ReturnType<typeof openCallQueue>

export const maxCalls = 200
const maxBatchSize = 50
/** Maximum length of a body, in characters. Browsers send at most 64 KiB after a page is closed. */
const maxBatchLength = 50_000

/**
 * The calls that the edge has not answered yet, in order, starting with those of earlier pages. `prefix` is the prefix
 * of the names of their copies. The queue holds 200 calls; beyond that the oldest is dropped.
 */
export function openCallQueue(
  { local, now, randomId, warn }: Pick<BrowserPage, 'local' | 'now' | 'randomId' | 'warn'>,
  prefix: string,
) {
  let count = 0
  let entries: QueuedCall[] = local
    .names()
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => ({ ...readJson<SdkCall>(local, name)!, name, failures: 0, settle() {} }))
    .filter(({ path }) => path)

  /** Removes calls and resolves each with its result. */
  const settle = (done: readonly QueuedCall[], answerOf: (place: number) => UploadResult) => {
    entries = entries.filter((entry) => !done.includes(entry))
    done.forEach((entry, place) => {
      local.remove(entry.name)
      entry.settle(answerOf(place))
    })
  }

  /** Each call has an `eventId`, so that the edge can deduplicate repeats. */
  const add = (path: EdgePath, fields: CallBody) =>
    new Promise<UploadResult>((resolve) => {
      const body: CallBody = { eventId: randomId(), timestamp: now(), ...fields }
      const name = `${prefix}${now()}.${1e5 + count++}.${body.eventId}` // sorts by time
      entries.push({ path, body, name, failures: 0, settle: resolve })
      writeJson(local, name, { path, body } satisfies SdkCall)
      if (entries.length > maxCalls) {
        warn('a call was dropped')
        settle(entries.slice(0, 1), () => ({ status: 'dropped' }))
      }
    })

  return { add, settle, batch: (isWanted: (entry: QueuedCall) => unknown) => nextBatch(entries.filter(isWanted)) }
}

/** The next calls to send together: consecutive events, or one other call. A call that has failed is sent alone. */
function nextBatch(entries: readonly QueuedCall[]): QueuedCall[] {
  const [first] = entries
  const batch: QueuedCall[] = []
  let length = 0
  for (const entry of entries) {
    length += JSON.stringify(entry.body).length
    const isBatchable = first!.path + entry.path === '/tag/tag' && !(first!.failures || entry.failures)
    if (entry !== first && !(isBatchable && batch.length < maxBatchSize && length <= maxBatchLength)) break
    batch.push(entry)
  }
  return batch
}
