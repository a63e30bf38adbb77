import type { BrowserChannel } from '#contract/edgeResponses.ts'
import type { CapturedByProvider } from './applyCaptureRule.ts'
import type { BrowserPage } from './browserPage.ts'
import { openCaptureStore } from './captureStore.ts'
import { type CallBody, type EdgePath, openCallQueue, type UploadResult } from './queue.ts'
import { openUploader } from './uploader.ts'
import type { Visitor } from './visitor.ts'

type TransportDeps = {
  tagUrl: string
  visitor: Visitor
  /** the prefix of all names in the site's storage */
  prefix: string
  /** the query of the landing URL */
  entered: string
}

/** Sends calls to the edge. They are queued until `open`; a page that is left sends them by beacon. */
export function openTransport(page: BrowserPage, { tagUrl, visitor, prefix, entered }: TransportDeps) {
  const queue = openCallQueue(page, `${prefix}call:`)
  const captures = openCaptureStore(page, prefix, entered)
  let rows: readonly BrowserChannel[] | undefined

  const urlOf = (path: string, query = '') => `${tagUrl}${path}?userId=${encodeURIComponent(visitor.userId())}${query}`
  const uploader = openUploader({ page, queue, urlOf, withCaptures: (event) => withCaptured(event, capture()) })
  const send = (path: EdgePath, body: CallBody): Promise<UploadResult> => {
    const answer = queue.add(path, body)
    if (rows) void uploader.run()
    return answer
  }
  const capture = (): CapturedByProvider => {
    if (!rows) return {}
    const { found, unsent } = captures(rows.filter((row) => visitor.mayRun(row.package, row.category) !== false))
    if (Object.keys(unsent)[0]) void send('/data', { data: unsent })
    return found
  }
  page.onHide(uploader.flushWithBeacon)

  return {
    urlOf,
    send,
    isWaiting: (path: EdgePath) => queue.batch((entry) => entry.path === path)[0],
    /** Captures the values of the channels, and starts sending the queued calls. */
    open(channels: readonly BrowserChannel[]) {
      rows = channels
      capture()
      void uploader.run()
    },
  }
}

/** Adds captured values to an event; values of the page override them. */
function withCaptured(event: CallBody, captured: CapturedByProvider): CallBody {
  const { storage } = event as { storage?: { data?: object } }
  return { ...event, storage: { ...storage, data: { ...captured, ...storage?.data } } }
}
