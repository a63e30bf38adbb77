import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveDataDir } from '#runtime/dataDir.ts'
import {
  type Aglet,
  type Customer,
  freePort,
  makeCustomer,
  makeScript,
  sinkAt,
  startAglet,
  stopAglet,
} from './aglet.ts'
import { type PostgresServer, startPostgres } from './postgresServer.ts'

/** Processes with different roles on one PostgreSQL server, and a destination. */
export type RoleProcesses = {
  server: PostgresServer
  /** The ids of the events that the destination received, in order. */
  arrived: string[]
  /** Starts a process, with its own data directory unless `data` names one. */
  start(role: string, environment?: Record<string, string>, port?: number, data?: string): Promise<Aglet>
  /** A customer whose events go to the destination. `control`: the process that creates it. */
  customerWithSink(control: Aglet, name: string): Promise<Customer & { scriptId: string }>
  /** Stops the running processes and the server; deletes their files. */
  close(): Promise<void>
}

export async function openRoleProcesses(settings: Record<string, string> = {}): Promise<RoleProcesses> {
  const server = await startPostgres({ fsync: 'on', synchronous_commit: 'on', ...settings })
  const arrived: string[] = []
  const processes: Aglet[] = []
  const sink = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      arrived.push(JSON.parse(text).payload.eventId)
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  return {
    server,
    arrived,
    async start(role, environment = {}, port, data = mkdtempSync(join(tmpdir(), `aglet-${role}-`))) {
      const shared = {
        AGLET_DATABASE_URL: server.url,
        AGLET_SYNC_STANDBYS: '0',
        AGLET_ROOT_KEY: 'ab'.repeat(32),
        AGLET_ROLE: role,
        AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
      }
      const started = await startAglet({
        data,
        port: port ?? (await freePort()),
        environment: { ...shared, ...environment },
      })
      processes.push(started)
      assert.ok(existsSync(resolveDataDir(data).socket), 'a process that is ready takes the commands of the operator')
      return started
    },
    async customerWithSink(control, name) {
      const customer = await makeCustomer(control, name)
      const { port } = sink.address() as AddressInfo
      const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`http://127.0.0.1:${port}/`))
      return { ...customer, scriptId }
    },
    async close() {
      await Promise.all(processes.map((each) => stopAglet(each)))
      for (const { data } of processes) rmSync(data, { recursive: true, force: true })
      sink.close()
      await server.stop()
    },
  }
}

const storage = { service: { consent: { all: true } } }

/** Sends an event to the tag URL of a process. `fields` are further fields of the event. */
export async function sendEvent(
  { origin }: Aglet,
  { tagId, token, teamId }: Customer,
  eventId: string,
  { query = '', fields = {} }: { query?: string; fields?: object } = {},
): Promise<{ status: number; body: Record<string, never>; retryAfter: number }> {
  const response = await fetch(`${origin}/t/${tagId}/tag${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'team-id': teamId },
    body: JSON.stringify({ eventName: 'Purchase', eventId, timestamp: Date.now(), storage, ...fields }),
  })
  const retryAfter = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, body: (await response.json()) as Record<string, never>, retryAfter }
}
