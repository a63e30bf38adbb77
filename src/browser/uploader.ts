import type { BrowserPage, HttpReply } from './browserPage.ts'
import type { CallBody, CallQueue, EdgePath, QueuedCall, UploadResult } from './queue.ts'

type UploaderDeps = {
  page: Pick<BrowserPage, 'request' | 'beacon' | 'pause' | 'random' | 'warn'>
  queue: CallQueue
  urlOf(path: EdgePath): string
  /** Adds the captured values to an event before it is sent. */
  withCaptures(event: CallBody): CallBody
}

const maxBackoffMs = 60_000
/** The number of 500 responses after which a call is dropped, so that it does not block later calls. */
const maxFailures = 6

/** No response, a response without JSON, a 5xx, or a 408, 425 or 429. */
export const isTemporaryFailure = (reply: HttpReply | undefined) =>
  !reply?.json || reply.status >= 500 || [408, 425, 429].includes(reply.status)

/** 1 s, 2 s, 4 s … 60 s, minus up to half as jitter, so that pages do not retry at the same time. */
export const backoffMs = (failures: number, random: number) =>
  Math.min(maxBackoffMs, 1_000 * 2 ** failures) * (1 - random / 2)

/** Sends the queued calls to the edge in order, one request at a time, until each is answered. */
export function openUploader({ page, queue, urlOf, withCaptures }: UploaderDeps) {
  let isRunning = false
  let pauses = 0

  const bodyOf = (batch: readonly QueuedCall[]) => {
    const bodies = batch.map(({ path, body }) => (path === '/tag' ? withCaptures(body) : body))
    return JSON.stringify(bodies.length > 1 ? bodies : bodies[0])
  }

  const upload = async (batch: readonly QueuedCall[]) => {
    for (const entry of batch) entry.isInFlight = true
    const reply = await page.request(urlOf(batch[0]!.path), bodyOf(batch)).catch(() => undefined)
    for (const entry of batch) entry.isInFlight = false
    if (reply?.status === 500) for (const entry of batch) entry.failures++
    if (!reply || (isTemporaryFailure(reply) && batch[0]!.failures < maxFailures)) {
      await page.pause(backoffMs(pauses++, page.random()))
      return
    }
    pauses = 0
    queue.settle(batch, (index) => resultAt(reply, index, page.warn))
  }

  return {
    async run() {
      if (isRunning) return
      isRunning = true
      for (let batch = queue.batch(Boolean); batch[0]; batch = queue.batch(Boolean)) await upload(batch)
      isRunning = false
    },

    /**
     * Sends calls that are not in flight by beacon, because the page may be closed. They stay queued until answered.
     */
    flushWithBeacon() {
      const isUnsent = ({ isInFlight, isBeaconed }: QueuedCall) => !isInFlight && !isBeaconed
      for (let batch = queue.batch(isUnsent); batch[0]; batch = queue.batch(isUnsent)) {
        page.beacon(urlOf(batch[0]!.path), bodyOf(batch))
        for (const entry of batch) entry.isBeaconed = true
      }
    },
  }
}

/** `{ result }` is a single result, or one for each event; an Error object applies to all. */
function resultAt({ status, json }: HttpReply, index: number, warn: BrowserPage['warn']): UploadResult {
  const { result, message } = json as { result?: UploadResult | UploadResult[]; message?: string }
  const answer = [result].flat()[index] ?? { status: 'rejected', message: (message ?? status) as string }
  if (answer.status === 'rejected') warn(`a call was refused: ${answer.message}`)
  return answer
}
