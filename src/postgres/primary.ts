import pg from 'pg'
import { parse } from 'pg-connection-string'

export type Host = { host: string; port: number }

/** The parts of a connection that are the same on every host. */
export type ConnectionParts = Omit<pg.ClientConfig, 'host' | 'port'>

const defaultPort = 5_432
const connectMs = 2_000

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

/** Whether a server accepts writes; false if it does not answer in two seconds. */
async function isPrimary(at: Host, parts: ConnectionParts): Promise<boolean> {
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

/** Finds the host that is not in recovery, and remembers it. */
export type PrimaryHost = {
  /** The host that was the primary last. */
  current(): Host
  /** Asks every host. The present one stays if none is a primary. Searches at the same time share one. */
  search(): Promise<void>
}

export function openPrimaryHost(hosts: readonly Host[], parts: ConnectionParts): PrimaryHost {
  let current = hosts[0]!
  let searching: Promise<void> | undefined
  async function searchOnce(): Promise<void> {
    const answers = await Promise.all(hosts.map((host) => isPrimary(host, parts)))
    current = hosts[answers.indexOf(true)] ?? current
  }
  return {
    current: () => current,
    search() {
      searching ??= searchOnce().finally(() => {
        searching = undefined
      })
      return searching
    },
  }
}
