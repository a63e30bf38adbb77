import { recall, remember } from './kept.ts'
import type { Page } from './page.ts'

/** What became of a call: the entry of the edge's answer, or why there is none. */
export type Answer = { status?: string; message?: string; [field: string]: unknown }
export type Path = '/tag' | '/user' | '/data' | '/consent'
export type Body = Record<string, unknown>

type Call = { path: Path; body: Body }

/** A call on its way to the edge. Its copy in the site's storage, by `name`, outlives the page. */
export type Entry = Call & {
  name: string
  /** How often the edge broke at it. */
  failures: number
  isUnderWay?: boolean
  isBeaconed?: boolean
  settle(answer: Answer): void
}

export type Outbox = ReturnType<typeof openOutbox>

const most = 200
const mostInOne = 50
/** Of a body in characters. A browser sends 64 KiB at most after a page is gone. */
const longest = 50_000

/**
 * The calls that the edge has not answered yet, in order. First those that earlier pages left behind, for whose answers
 * nobody waits any more. `prefix` begins the names of their copies. It holds 200: of more, the oldest are given up.
 */
export function openOutbox(
  { local, now, randomId, warn }: Pick<Page, 'local' | 'now' | 'randomId' | 'warn'>,
  prefix: string,
) {
  let count = 0
  let entries: Entry[] = local
    .names()
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => ({ ...recall<Call>(local, name)!, name, failures: 0, settle() {} }))
    .filter(({ path }) => path)

  /** Takes calls out, each with its answer. */
  const settle = (done: readonly Entry[], answerOf: (place: number) => Answer) => {
    entries = entries.filter((entry) => !done.includes(entry))
    done.forEach((entry, place) => {
      local.drop(entry.name)
      entry.settle(answerOf(place))
    })
  }

  /** However often it is sent, it stays the same call: by its `eventId`. */
  const add = (path: Path, said: Body) =>
    new Promise<Answer>((resolve) => {
      const body: Body = { eventId: randomId(), timestamp: now(), ...said }
      const name = `${prefix}${now()}.${1e5 + count++}.${body.eventId}` // sorts by time
      entries.push({ path, body, name, failures: 0, settle: resolve })
      remember(local, name, { path, body } satisfies Call)
      if (entries.length > most) {
        warn('too many calls wait; the oldest is dropped')
        settle(entries.slice(0, 1), () => ({ status: 'dropped' }))
      }
    })

  return { add, settle, batch: (isWanted: (entry: Entry) => unknown) => firstOf(entries.filter(isWanted)) }
}

/** The calls that can go next as one: events that follow each other, or one of another kind. What failed goes alone. */
function firstOf(entries: readonly Entry[]): Entry[] {
  const [first] = entries
  const batch: Entry[] = []
  let length = 0
  for (const entry of entries) {
    length += JSON.stringify(entry.body).length
    const isMany = first!.path + entry.path === '/tag/tag' && !(first!.failures || entry.failures)
    if (entry !== first && !(isMany && batch.length < mostInOne && length <= longest)) break
    batch.push(entry)
  }
  return batch
}
