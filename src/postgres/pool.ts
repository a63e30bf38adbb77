import { Socket } from 'node:net'
import pg from 'pg'
import { DatabaseAway } from './databaseError.ts'
import { askHost, type Host, openPrimaryHost, parseDatabaseUrl } from './primary.ts'

type PoolOptions = { url: string; schema: string; connections: number; timeoutMs: number }

/** Connections to the primary. After a failover, new connections go to the new primary. */
export type Pool = ReturnType<typeof openPool>

const connectMs = 2_000
/** Work that takes longer starts a search for another primary, repeated at this interval. */
const longMs = 500

/** Uses its own memory, as SQLite does: a Buffer would be a part of a shared pool. */
const parseBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))

/** `int8` is read as a number: positions and times have at most 53 bits. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.BYTEA, parseBytes],
])

const types = {
  getTypeParser: (oid: number, format: 'text' | 'binary' = 'text') =>
    (format === 'text' && parsers.get(oid)) || pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

// Generic plans: planning each value costs more than the statement, and a wrong plan reads whole tables. Statements
// read ranges of indexes, even of new tables without statistics. Compiling a plan costs more than running it. A process
// that is frozen in a transaction holds its locks for less time than the lease of a member, so that its slots can be
// taken.
const settingsOf = (schema: string) =>
  [
    `search_path=${schema}`,
    'lock_timeout=2000',
    'idle_in_transaction_session_timeout=3000',
    'plan_cache_mode=force_generic_plan',
    'enable_seqscan=off',
    'enable_hashjoin=off',
    'enable_mergejoin=off',
    'jit=off',
    'client_min_messages=warning',
  ]
    .map((each) => `-c ${each}`)
    .join(' ')

/** Refuses a server in recovery: its data may be old, and it accepts no writes. */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('SELECT pg_is_in_recovery() AS recovery')
  if (rows[0].recovery) throw new DatabaseAway('the server is in recovery')
}

/** The open sockets, with the host of each. */
function hostSockets() {
  const sockets = new Map<Socket, Host>()
  return {
    /** Creates a socket for a new connection to a host. */
    open(host: Host): Socket {
      const socket = new Socket()
      sockets.set(socket, host)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    /** Closes the connections to all other hosts. Statements that run there fail as if the connection broke. */
    keepOnly(host: Host) {
      const error = new Error('Connection terminated: another host is the primary')
      for (const [socket, at] of sockets) if (at !== host) socket.destroy(error)
    },
  }
}

export function openPool({ url, schema, connections, timeoutMs }: PoolOptions) {
  const { hosts, parts } = parseDatabaseUrl(url)
  const sockets = hostSockets()
  const primary = openPrimaryHost(hosts, { ask: askHost(parts), changed: () => sockets.keepOnly(primary.current()) })
  const options = { ...parts, types, options: settingsOf(schema), keepAlive: true, connectionTimeoutMillis: connectMs }
  const toPrimary = () => {
    const host = primary.current()
    return { ...options, ...host, stream: () => sockets.open(host) }
  }
  class PrimaryClient extends pg.Client {
    constructor() {
      super({ ...toPrimary(), query_timeout: timeoutMs })
    }
  }
  const poolOptions = { max: connections, idleTimeoutMillis: 60_000, onConnect: refuseStandby }
  const pool = new pg.Pool({ ...poolOptions, Client: PrimaryClient } as pg.PoolConfig)
  // A connection that breaks while idle leaves the pool; the next query opens a new one.
  pool.on('error', () => {})

  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect()
    } catch {
      await primary.search()
      return pool.connect().catch((error: Error) => {
        throw new DatabaseAway(`no primary responds: ${error.message}`, { cause: error })
      })
    }
  }
  return {
    /** Throws DatabaseAway if no primary answers. */
    async connect(): Promise<pg.PoolClient> {
      const client = await connect()
      if (client.listenerCount('error') === 0) client.on('error', () => {}) // the running query fails too
      return client
    },
    /** A connection outside of the pool. */
    async connectAlone(): Promise<pg.Client> {
      const client = new pg.Client(toPrimary())
      await client.connect()
      return client
    },
    searchPrimary: primary.search,
    /** Searches for another primary while work takes long, because a frozen host causes no error. */
    async watched<Result>(work: () => Promise<Result>): Promise<Result> {
      const watch = setInterval(primary.searchIfUnsure, longMs)
      try {
        return await work()
      } finally {
        clearInterval(watch)
      }
    },
    counts: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}
