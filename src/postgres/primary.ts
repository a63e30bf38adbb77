import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { parse } from 'pg-connection-string'

export type Host = { host: string; port: number }

/** The parts of a connection that are the same on every host. */
type ConnectionParts = Omit<pg.ClientConfig, 'host' | 'port'>

const defaultPort = 5_432
const connectMs = 2_000
/** How long a search waits for answers, and how long its result needs no confirmation. */
const searchMs = 500
const sureMs = 3_000

/**
 * Reads a URL with one or several hosts: `postgres://user:password@host1:5432,host2/name?sslmode=require`. Throws an
 * Error without the password.
 */
export function parseDatabaseUrl(url: string): { hosts: Host[]; parts: ConnectionParts } {
  const found = /^(postgres(?:ql)?:\/\/(?:[^@/?#]+@)?)([^/?#]+)(\/[^#]*)$/.exec(url)
  if (!found) throw new Error('The database URL is not of the form postgres://user@host1,host2/name.')
  const [, start, list, end] = found
  const hosts = list!.split(',').map(parseHost)
  const {
    host: _,
    port: __,
    ...parts
  } = parse(`${start}${hosts[0]!.host.includes(':') ? 'localhost' : hosts[0]!.host}${end}`)
  return { hosts, parts: parts as ConnectionParts }
}

function parseHost(text: string): Host {
  const found = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/i.exec(text)
  if (!found) throw new Error('A host of the database URL is neither host nor host:port.')
  return { host: found[1]!.replace(/^\[|\]$/g, ''), port: Number(found[2] ?? defaultPort) }
}

/** Asks on a new connection each time whether a server accepts writes; false if it does not answer in two seconds. */
export const askHost =
  (parts: ConnectionParts) =>
  async (at: Host): Promise<boolean> => {
    const client = new pg.Client({ ...parts, ...at, connectionTimeoutMillis: connectMs, query_timeout: connectMs })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS recovery')
      return rows[0].recovery === false
    } catch {
      return false
    } finally {
      void client.end().catch(() => {})
    }
  }

/** Finds and remembers the host that is not in recovery. */
export type PrimaryHost = ReturnType<typeof openPrimaryHost>

type PrimaryDeps = {
  /** Called when another host has become the primary. */
  changed(): void
  /** Whether a host accepts writes. Does not reject. */
  ask(host: Host): Promise<boolean>
  /** A clock that is never set (ms). */
  monotonicMs?(): number
}

export function openPrimaryHost(
  hosts: readonly Host[],
  { ask, changed, monotonicMs = () => performance.now() }: PrimaryDeps,
) {
  let current = hosts[0]!
  let searching: Promise<void> | undefined
  let searches = 0
  /** The search that found the current primary, and its time. */
  let [foundBy, foundAt] = [0, Number.NEGATIVE_INFINITY]

  function found(host: Host, search: number): void {
    if (search <= foundBy) return // another host has answered this search, or a later one
    ;[foundBy, foundAt] = [search, monotonicMs()]
    if (host === current) return
    current = host
    changed()
  }
  async function searchOnce(): Promise<void> {
    const search = ++searches
    const answers = hosts.map(async (host) => {
      if (!(await ask(host))) throw new Error('the host is not the primary')
      found(host, search)
    })
    await Promise.race([Promise.any(answers).catch(() => {}), wait(searchMs)])
  }
  /**
   * Asks all hosts at the same time. Resolves at the first answer of a primary, when all have answered, or after half a
   * second, so that a host that does not answer delays nothing. A later answer also counts. Without a primary, the
   * current one stays. Concurrent calls share one search.
   */
  function search(): Promise<void> {
    searching ??= searchOnce().finally(() => {
      searching = undefined
    })
    return searching
  }
  return {
    /** The host that was last found to be the primary. */
    current: () => current,
    search,
    /**
     * Starts a search, unless there is only one host or a primary has answered in the last three seconds. For work that
     * takes long.
     */
    searchIfUnsure(): void {
      if (hosts.length > 1 && monotonicMs() - foundAt > sureMs) void search()
    },
  }
}
