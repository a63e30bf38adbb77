import { startThread, type Thread } from './thread.ts'

/**
 * Why a query gave no answer: its name has `limit` queries under way, it waited for a thread for `limit` ms, or it ran for
 * `limit` ms.
 */
export type QueryRefusal = 'tooMany' | 'busy' | 'tooSlow'

export class QueryRefused extends Error {
  readonly why: QueryRefusal
  readonly limit: number
  constructor(why: QueryRefusal, limit: number) {
    super(`the query was refused: ${why}, ${limit}`)
    this.name = 'QueryRefused'
    this.why = why
    this.limit = limit
  }
}

/** A few threads that answer queries. Names (tenants) take turns, and none ever has all threads. */
export type QueryPool<Ask, Answer> = {
  /**
   * `isCounted`: whether it counts among the `perName` of its name. Throws QueryRefused; rejects with the message of what the
   * query threw.
   */
  ask(name: string, ask: Ask, isCounted?: boolean): Promise<Answer>
  /** Ends the threads. What is under way rejects. */
  close(): Promise<void>
}

export type QueryPoolOptions = {
  threads: number
  /** queries of one name that run or wait */
  perName: number
  /** for so long a query may wait for a thread */
  waitMs: number
  /** for so long a query may run */
  limitMs: number
  /** after so long without a query the threads end */
  idleMs: number
}

type Query<Ask, Answer> = {
  name: string
  ask: Ask
  waiting?: NodeJS.Timeout
  resolve(answer: Answer): void
  reject(why: Error): void
}

/** Queries that wait, all names together. */
const mostWaiting = 1_000

/** What waits, by name; the names take turns. */
function fairQueue<Ask, Answer>() {
  const byName = new Map<string, Query<Ask, Answer>[]>()
  let size = 0
  return {
    size: () => size,
    add(query: Query<Ask, Answer>) {
      byName.set(query.name, [...(byName.get(query.name) ?? []), query])
      size++
    },
    remove(query: Query<Ask, Answer>) {
      const left = (byName.get(query.name) ?? []).filter((each) => each !== query)
      if (left.length > 0) byName.set(query.name, left)
      else byName.delete(query.name)
      size--
    },
    /** The first of the next name that may run. */
    next(mayRun: (name: string) => boolean): Query<Ask, Answer> | undefined {
      for (const [name, [first]] of byName) {
        if (!mayRun(name)) continue
        this.remove(first!)
        const left = byName.get(name)
        // A name that had its turn goes behind the others.
        if (left && byName.delete(name)) byName.set(name, left)
        return first
      }
      return undefined
    },
  }
}

/** How many there are of each name. */
function tally() {
  const counts = new Map<string, number>()
  const of = (name: string) => counts.get(name) ?? 0
  return {
    of,
    add(name: string, by: 1 | -1) {
      const now = of(name) + by
      if (now > 0) counts.set(name, now)
      else counts.delete(name)
    },
  }
}

/** Room for one thread: it is started when it is needed, and another takes its place when it was ended. */
function openPlace<Ask, Answer>(program: URL, data: unknown, limitMs: number) {
  let thread: Thread<Ask, Answer> | undefined
  let isClosed = false
  const end = async () => {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  return {
    end,
    close() {
      isClosed = true
      return end()
    },
    /** Resolves when the place is free again: a thread that is ended may still be in a statement. */
    async run({ ask, resolve, reject }: Query<Ask, Answer>): Promise<void> {
      let ending: Promise<void> | undefined
      const timer = setTimeout(() => {
        reject(new QueryRefused('tooSlow', limitMs))
        ending = end()
      }, limitMs)
      try {
        thread ??= await startThread<Ask, Answer>(program, data)
        if (isClosed) throw closed()
        if (!ending) resolve(await thread.ask(ask))
      } catch (error) {
        reject(error as Error)
        // What failed may have been the thread itself.
        ending ??= end()
      } finally {
        clearTimeout(timer)
        await ending
      }
    },
  }
}

const closed = () => new Error('closed: nothing is asked any more')

/** The threads and what waits for them. */
function openThreads<Ask, Answer>(
  program: URL,
  data: unknown,
  { threads, waitMs, limitMs, idleMs }: Omit<QueryPoolOptions, 'perName'>,
) {
  const places = Array.from({ length: threads }, () => openPlace<Ask, Answer>(program, data, limitMs))
  const free = [...places]
  const queue = fairQueue<Ask, Answer>()
  const running = tally()
  const mostRunning = Math.max(1, threads - 1)
  const endAll = () => Promise.all(places.map(({ end }) => end()))
  let idle: NodeJS.Timeout | undefined

  async function runOn(place: (typeof places)[number], query: Query<Ask, Answer>): Promise<void> {
    clearTimeout(query.waiting)
    running.add(query.name, 1)
    await place.run(query)
    running.add(query.name, -1)
    free.push(place)
    runNext()
  }

  function runNext(): void {
    clearTimeout(idle)
    while (free.length > 0) {
      const query = queue.next((name) => running.of(name) < mostRunning)
      if (!query) break
      void runOn(free.pop()!, query)
    }
    if (free.length === threads) idle = setTimeout(endAll, idleMs).unref()
  }

  function giveUp(query: Query<Ask, Answer>): void {
    queue.remove(query)
    query.reject(new QueryRefused('busy', waitMs))
  }

  function ask(name: string, message: Ask): Promise<Answer> {
    if (queue.size() >= mostWaiting) throw new QueryRefused('busy', waitMs)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const query: Query<Ask, Answer> = { name, ask: message, resolve, reject }
    query.waiting = setTimeout(giveUp, waitMs, query)
    queue.add(query)
    runNext()
    return promise
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    for (let query = queue.next(() => true); query; query = queue.next(() => true)) {
      clearTimeout(query.waiting)
      query.reject(closed())
    }
    await Promise.all(places.map((place) => place.close()))
  }
  return { ask, close }
}

export function openQueryPool<Ask, Answer>(
  program: URL,
  data: unknown,
  options: QueryPoolOptions,
): QueryPool<Ask, Answer> {
  const { perName } = options
  const threads = openThreads<Ask, Answer>(program, data, options)
  const underWay = tally()
  let isClosed = false
  return {
    async ask(name, message, isCounted = true) {
      if (isClosed) throw closed()
      if (!isCounted) return threads.ask(name, message)
      if (underWay.of(name) >= perName) throw new QueryRefused('tooMany', perName)
      underWay.add(name, 1)
      try {
        return await threads.ask(name, message)
      } finally {
        underWay.add(name, -1)
      }
    },
    close() {
      isClosed = true
      return threads.close()
    },
  }
}
