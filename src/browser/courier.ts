import type { Answer, Body, Entry, Outbox, Path } from './outbox.ts'
import type { Page, Reply } from './page.ts'

type On = {
  page: Pick<Page, 'ask' | 'beacon' | 'pause' | 'random' | 'warn'>
  outbox: Outbox
  urlOf(path: Path): string
  /** An event as it goes over the wire: with what was captured until now. */
  finish(event: Body): Body
}

const longestPauseMs = 60_000
/** Of a call at which the edge breaks, alone: it must not hold up those behind it for ever. */
const mostFailures = 6

/** No answer, one that is not the edge's, or one that says: not now. */
export const isTemporary = (reply: Reply | undefined) =>
  !reply?.json || reply.status >= 500 || [408, 425, 429].includes(reply.status)

/** 1 s, 2 s, 4 s … 60 s, and up to half of it less, so that not all pages come back at once. */
export const pauseMs = (failures: number, random: number) =>
  Math.min(longestPauseMs, 1_000 * 2 ** failures) * (1 - random / 2)

/** Brings calls to the edge, one request at a time and in order, until each is answered. */
export function openCourier({ page, outbox, urlOf, finish }: On) {
  let isRunning = false
  let pauses = 0

  const bodyOf = (batch: readonly Entry[]) => {
    const bodies = batch.map(({ path, body }) => (path === '/tag' ? finish(body) : body))
    return JSON.stringify(bodies.length > 1 ? bodies : bodies[0])
  }

  const bring = async (batch: readonly Entry[]) => {
    for (const entry of batch) entry.isUnderWay = true
    const reply = await page.ask(urlOf(batch[0]!.path), bodyOf(batch)).catch(() => undefined)
    for (const entry of batch) entry.isUnderWay = false
    if (reply?.status === 500) for (const entry of batch) entry.failures++
    if (!reply || (isTemporary(reply) && batch[0]!.failures < mostFailures)) {
      await page.pause(pauseMs(pauses++, page.random()))
      return
    }
    pauses = 0
    outbox.settle(batch, (place) => answerIn(reply, place, page.warn))
  }

  return {
    async run() {
      if (isRunning) return
      isRunning = true
      for (let batch = outbox.batch(Boolean); batch.length > 0; batch = outbox.batch(Boolean)) await bring(batch)
      isRunning = false
    },

    /** The page may be gone in a moment: the browser takes over what is not on its way. It stays here until it is answered. */
    hurry() {
      const isLeft = ({ isUnderWay, isBeaconed }: Entry) => !isUnderWay && !isBeaconed
      for (let batch = outbox.batch(isLeft); batch.length > 0; batch = outbox.batch(isLeft)) {
        page.beacon(urlOf(batch[0]!.path), bodyOf(batch))
        for (const entry of batch) entry.isBeaconed = true
      }
    },
  }
}

/** `{ result }` holds one answer, or one for each event; an Error object is the answer to all. */
function answerIn({ status, json }: Reply, place: number, warn: Page['warn']): Answer {
  const { result, message } = json as { result?: Answer | Answer[]; message?: string }
  const answer = [result].flat()[place] ?? { status: 'rejected', message: message ?? `${status}` }
  if (answer.status === 'rejected') warn(`a call was refused: ${answer.message}`)
  return answer
}
