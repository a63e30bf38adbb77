/**
 * Why a query was refused. `tooMany`: its name already has `limit` queries. `busy`: it waited for a slot for `limit`
 * ms. `tooSlow`: it ran for `limit` ms.
 */
type QueryRefusal = 'tooMany' | 'busy' | 'tooSlow'

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

/** A pool of slots for queries. Names (tenants) take turns. If there are several slots, no name uses all of them. */
type QueryPool<Ask, Answer> = {
  /**
   * `isCounted`: whether the query counts towards `perName`. Rejects with QueryRefused, or with the message of the
   * error that the query threw.
   */
  ask(name: string, ask: Ask, isCounted?: boolean): Promise<Answer>
  /** Closes the slots. Waiting queries reject. */
  close(): Promise<void>
}

export type QueryPoolOptions = {
  /** The maximum number of running and waiting queries of a name. */
  perName: number
  /** The maximum time that a query waits for a slot. */
  waitMs: number
  /** After this time without a query, the slots release what they keep for the next query. */
  idleMs: number
}

/** A query with the callbacks of its result. */
type PooledQuery<Ask, Answer> = { ask: Ask; resolve(answer: Answer): void; reject(why: Error): void }

/** Runs one query at a time. */
export type QuerySlot<Ask, Answer> = {
  /** Calls `resolve` or `reject`, and resolves when the slot is free again. Never rejects. */
  run(query: PooledQuery<Ask, Answer>): Promise<void>
  /** Releases the resources that are kept for the next query. */
  release(): Promise<void>
  /** A running query rejects. */
  close(): Promise<void>
}

type Query<Ask, Answer> = PooledQuery<Ask, Answer> & { name: string; waiting?: NodeJS.Timeout }

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

export const poolClosed = () => new Error('the query pool is closed')

/** The slots, and the queries that wait for them. */
function openSlots<Ask, Answer>(
  slots: readonly QuerySlot<Ask, Answer>[],
  { waitMs, idleMs }: Omit<QueryPoolOptions, 'perName'>,
) {
  const free = [...slots]
  const queue = waitingQueries<Ask, Answer>()
  const running = counters()
  const maxRunning = Math.max(1, slots.length - 1)
  const releaseSlots = () => Promise.all(slots.map((slot) => slot.release()))
  let idle: NodeJS.Timeout | undefined

  async function runOn(slot: QuerySlot<Ask, Answer>, query: Query<Ask, Answer>): Promise<void> {
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
    if (free.length === slots.length) idle = setTimeout(releaseSlots, idleMs).unref()
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
      query.reject(poolClosed())
    }
    await Promise.all(slots.map((slot) => slot.close()))
  }
  return { ask, close }
}

/** Names that wait take turns for the slots. */
export function openQueryPool<Ask, Answer>(
  slots: readonly QuerySlot<Ask, Answer>[],
  options: QueryPoolOptions,
): QueryPool<Ask, Answer> {
  const { perName } = options
  const running = openSlots(slots, options)
  const active = counters()
  let isClosed = false
  return {
    async ask(name, message, isCounted = true) {
      if (isClosed) throw poolClosed()
      if (!isCounted) return running.ask(name, message)
      if (active.of(name) >= perName) throw new QueryRefused('tooMany', perName)
      active.add(name, 1)
      try {
        return await running.ask(name, message)
      } finally {
        active.add(name, -1)
      }
    },
    close() {
      isClosed = true
      return running.close()
    },
  }
}
