import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Aglet,
  type Customer,
  freePort,
  makeCustomer,
  makeScript,
  sinkAt,
  startAglet,
  stopAglet,
} from '../test/fake/aglet.ts'
import { pinned } from './machine.ts'
import type { Target } from './target.ts'

/** A separate Aglet, and the objects that were created on it before the measurement. */
export type Measured<Made> = Target & { aglet: Aglet; made: Made; startMs: number }

export type Wanted<Made> = {
  who?: string
  role?: 'all' | 'edge'
  /** Another checkout, whose server runs instead of this one's. */
  checkout?: string | undefined
  /** Creates objects over HTTP, like a customer. */
  make(aglet: Aglet): Promise<Made & { tagUrl: string }>
  /** Adds data to the data directory while no server runs on it. */
  seed?(data: string, made: Made): Promise<void>
  /** For the process that creates the objects, and for the measured one. */
  shared?: Record<string, string>
  /** Only for the measured process. */
  environment?: Record<string, string>
}

/** The load of a benchmark exceeds the limit of one team. */
export const noEventLimits = {
  AGLET_TEAM_EVENT_RATE: '9999999',
  AGLET_TEAM_EVENT_BURST: '9999999',
  AGLET_TAG_EVENT_RATE: '9999999',
  AGLET_TAG_EVENT_BURST: '9999999',
  AGLET_FAIR_SHARE_LOAD: '100',
}

/**
 * The rows of an event are written at most five seconds later (docs/decisions/0022-logs-before-rows.md). Writing them takes less than
 * one.
 */
const foldedAfterMs = 6_000

/** Creates the objects in a fresh data directory, then starts the measured role on its own core. */
export async function startMeasured<Made>(wanted: Wanted<Made>): Promise<Measured<Made>> {
  const { role = 'all', who = `Aglet, role ${role}`, make, seed } = wanted
  const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
  const options = { data, port: await freePort(), ...(wanted.checkout && { checkout: wanted.checkout }) }
  const environment = {
    AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    AGLET_RATE_LIMIT: '1000000',
    ...noEventLimits,
    ...wanted.shared,
  }
  const first = await startAglet({ ...options, environment })
  const made = await make(first).finally(() => stopAglet(first))
  await seed?.(data, made)
  // Always a new process, so that creating the objects has not warmed up the measured one.
  const begun = performance.now()
  const aglet = await startAglet({
    ...options,
    flags: ['--role', role],
    wrap: pinned('measured'),
    environment: { ...environment, ...wanted.environment },
  })
  const startMs = performance.now() - begun
  const stop = async () => {
    await stopAglet(aglet)
    rmSync(data, { recursive: true, force: true })
  }
  const address = { url: `${made.tagUrl}/tag`, pid: aglet.process.pid! }
  return { who, keeps: 'disk', ...address, laterMs: foldedAfterMs, stop, aglet, made, startMs }
}

/** An Aglet process on which customers are created. */
type MadeOn = Parameters<typeof makeCustomer>[0]

/** A tag with a channel to each of these addresses. */
export async function tagTo(deps: MadeOn, name: string, addresses: readonly string[]): Promise<Customer> {
  const customer = await makeCustomer(deps, name)
  for (const [n, address] of addresses.entries())
    await makeScript(customer, 'eventSink', `${name} ${n}`, sinkAt(address))
  return customer
}

/** A tag with this many channels that send each event to the vendor. */
export const tagWith = (deps: MadeOn, name: string, channels: number, vendor: string): Promise<Customer> =>
  tagTo(
    deps,
    name,
    Array.from({ length: channels }, (_, n) => `${vendor}/fast/${n}`),
  )

export const bareTag = { make: (aglet: Aglet) => makeCustomer(aglet, 'bench') }
