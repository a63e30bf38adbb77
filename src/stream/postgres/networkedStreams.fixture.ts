import { after, afterEach, before, beforeEach } from 'node:test'
import type { Database } from '#postgres/database.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import { start } from '#stream/stream.fixture.ts'
import { type PostgresServer, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStream, type PostgresStreamOptions } from './postgresStream.ts'
import { createStreamSchemas } from './streamOnSchema.fixture.ts'

/** Streams of several processes on one schema, which is emptied before each test of the current suite. */
export function setUpStreams() {
  let server: PostgresServer
  let opened: SharedStream[] = []
  const schemas = createStreamSchemas(() => server.url)
  const streams = {
    now: start,
    database: undefined as unknown as Database,
    open: async (options: Partial<PostgresStreamOptions> = {}) => {
      const clock = { now: () => streams.now }
      const stream = await openPostgresStream({ database: streams.database, clock, ...options })
      opened.push(stream)
      return stream
    },
    /** Another pool of connections. */
    openDatabase: () => schemas.openAnother(streams.database),
    /** Adds a process with its own lease, which owns slots. */
    async member(memberId: string, slots: number[]) {
      await streams.database.sql(`INSERT INTO member VALUES ($1, 'worker', '1', 1, 0)`, [memberId])
      return { memberId, slots: (): number[] => slots }
    },
  }
  before(async () => {
    server = await startPostgres()
  })
  after(async () => {
    await schemas.close()
    await server.stop()
  })
  beforeEach(async () => {
    streams.now = start
    opened = []
    streams.database = await schemas.create()
  })
  afterEach(async () => {
    await Promise.all(opened.map((stream) => stream.close()))
    await schemas.remove(streams.database)
  })
  return streams
}
