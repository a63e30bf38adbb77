import { startThread, type Thread } from './thread.ts'

/**
 * Why a query was refused. `tooMany`: its name already has `limit` queries. `busy`: it waited for a thread for `limit`
 * ms. `tooSlow`: it ran for `limit` ms.
 */
export type QueryRefusal = 'tooMany' | 'busy' | 'tooSlow'

export class QueryRefused extends Error {
  readonly why: QueryRefusal
  readonly limit: number
  constructor(why: QueryRefusal, limit: number) {
    super(`the query was refused: ${why} (limit ${limit})`)
    this.name = 'QueryRefused'
    this.why = why
    this.limit = limit
  }
}

/** A pool of threads for queries. Names (tenants) take turns, and no name ever uses all threads. */
export type QueryPool<Ask, Answer> = {
  /**
   * `isCounted`: whether the query counts towards `perName`. Rejects with QueryRefused, or with the message of the
   * error that the query threw.
   */
  ask(name: string, ask: Ask, isCounted?: boolean): Promise<Answer>
  /** Terminates the threads. Running and waiting queries reject. */
  close(): Promise<void>
}

export type QueryPoolOptions = {
  threads: number
  /** The maximum number of running and waiting queries of a name. */
  perName: number
  /** The maximum time that a query waits for a thread. */
  waitMs: number
  /** The maximum time that a query runs. */
  limitMs: number
  /** The time without a query after which the threads end. */
  idleMs: number
}

type Query<Ask, Answer> = {
  name: string
  ask: Ask
  waiting?: NodeJS.Timeout
  resolve(answer: Answer): void
  reject(why: Error): void
}

/** The maximum number of waiting queries of all names. */
const maxWaiting = 1_000

/** The waiting queries by name, with round robin over the names. */
function waitingQueries<Ask, Answer>() {
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
    /** The first query of the next name that may run. */
    next(mayRun: (name: string) => boolean): Query<Ask, Answer> | undefined {
      for (const [name, [first]] of byName) {
        if (!mayRun(name)) continue
        this.remove(first!)
        const left = byName.get(name)
        // Moves the name behind the others.
        if (left && byName.delete(name)) byName.set(name, left)
        return first
      }
      return undefined
    },
  }
}

/** A counter for each name. */
function counters() {
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

/** A slot for one thread, which is started for the first query, and again after it was terminated. */
function openThreadSlot<Ask, Answer>(program: URL, data: unknown, limitMs: number) {
  let thread: Thread<Ask, Answer> | undefined
  let isClosed = false
  const end = async () => {
    const previous = thread
    thread = undefined
    await previous?.terminate()
  }
  return {
    end,
    close() {
      isClosed = true
      return end()
    },
    /** Resolves when the slot is free again. A terminated thread may first have to finish its SQL statement. */
    async run({ ask, resolve, reject }: Query<Ask, Answer>): Promise<void> {
      let ending: Promise<void> | undefined
      const timer = setTimeout(() => {
        reject(new QueryRefused('tooSlow', limitMs))
        ending = end()
      }, limitMs)
      try {
        if (!thread || thread.hasEnded()) thread = await startThread<Ask, Answer>(program, data, 'replace')
        if (isClosed) throw closed()
        if (!ending) resolve(await thread.ask(ask))
      } catch (error) {
        reject(error as Error)
        // The thread itself may have failed, so it is replaced.
        ending ??= end()
      } finally {
        clearTimeout(timer)
        await ending
      }
    },
  }
}

const closed = () => new Error('the query pool is closed: no query can be sent')

/** The threads, and the queries that wait for them. */
function openThreads<Ask, Answer>(
  program: URL,
  data: unknown,
  { threads, waitMs, limitMs, idleMs }: Omit<QueryPoolOptions, 'perName'>,
) {
  const slots = Array.from({ length: threads }, () => openThreadSlot<Ask, Answer>(program, data, limitMs))
  const free = [...slots]
  const queue = waitingQueries<Ask, Answer>()
  const running = counters()
  const maxRunning = Math.max(1, threads - 1)
  const endThreads = () => Promise.all(slots.map(({ end }) => end()))
  let idle: NodeJS.Timeout | undefined

  async function runOn(slot: (typeof slots)[number], query: Query<Ask, Answer>): Promise<void> {
    clearTimeout(query.waiting)
    running.add(query.name, 1)
    await slot.run(query)
    running.add(query.name, -1)
    free.push(slot)
    runNext()
  }

  function runNext(): void {
    clearTimeout(idle)
    while (free.length > 0) {
      const query = queue.next((name) => running.of(name) < maxRunning)
      if (!query) break
      void runOn(free.pop()!, query)
    }
    if (free.length === threads) idle = setTimeout(endThreads, idleMs).unref()
  }

  function refuseWaiting(query: Query<Ask, Answer>): void {
    queue.remove(query)
    query.reject(new QueryRefused('busy', waitMs))
  }

  function ask(name: string, message: Ask): Promise<Answer> {
    if (queue.size() >= maxWaiting) throw new QueryRefused('busy', waitMs)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const query: Query<Ask, Answer> = { name, ask: message, resolve, reject }
    query.waiting = setTimeout(refuseWaiting, waitMs, query)
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
    await Promise.all(slots.map((slot) => slot.close()))
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
  const active = counters()
  let isClosed = false
  return {
    async ask(name, message, isCounted = true) {
      if (isClosed) throw closed()
      if (!isCounted) return threads.ask(name, message)
      if (active.of(name) >= perName) throw new QueryRefused('tooMany', perName)
      active.add(name, 1)
      try {
        return await threads.ask(name, message)
      } finally {
        active.add(name, -1)
      }
    },
    close() {
      isClosed = true
      return threads.close()
    },
  }
}
