import type { ChannelRow } from '#contract/edge.ts'
import type { Captured } from './capture.ts'
import { openCaptures } from './captures.ts'
import { openCourier } from './courier.ts'
import { type Answer, type Body, openOutbox, type Path } from './outbox.ts'
import type { Page } from './page.ts'
import type { Visitor } from './visitor.ts'

type On = {
  tagUrl: string
  visitor: Visitor
  /** begins the names of what is kept in the site's storage */
  prefix: string
  /** the query that the page was entered with */
  entered: string
}

/** The line to the edge. Calls gather until it is open; a page that is left before hands them to the browser. */
export function openLine(page: Page, { tagUrl, visitor, prefix, entered }: On) {
  const outbox = openOutbox(page, `${prefix}call:`)
  const captures = openCaptures(page, prefix, entered)
  let rows: readonly ChannelRow[] | undefined

  const urlOf = (path: string, query = '') => `${tagUrl}${path}?userId=${encodeURIComponent(visitor.userId())}${query}`
  const courier = openCourier({ page, outbox, urlOf, finish: (event) => withCaptured(event, capture()) })
  const send = (path: Path, body: Body): Promise<Answer> => {
    const answer = outbox.add(path, body)
    if (rows) void courier.run()
    return answer
  }
  const capture = (): Captured => {
    if (!rows) return {}
    const { found, news } = captures(rows.filter((row) => visitor.mayRun(row.package, row.category) !== false))
    if (Object.keys(news).length > 0) void send('/data', { data: news })
    return found
  }
  page.onHide(courier.hurry)

  return {
    urlOf,
    send,
    isWaiting: (path: Path) => outbox.batch((entry) => entry.path === path).length > 0,
    /** Looks for what the channels capture, and brings what waits. */
    open(channels: readonly ChannelRow[]) {
      rows = channels
      capture()
      void courier.run()
    },
  }
}

/** What is captured goes where the page has said nothing itself. */
function withCaptured(event: Body, captured: Captured): Body {
  const { storage } = event as { storage?: { data?: object } }
  return { ...event, storage: { ...storage, data: { ...captured, ...storage?.data } } }
}
