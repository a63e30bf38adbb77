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

/** A whole Aglet of its own, and what was made in it before it was measured. */
export type Measured<Made> = Target & { aglet: Aglet; made: Made; startMs: number }

export type Wanted<Made> = {
  who?: string
  role?: 'all' | 'edge'
  /** Another checkout, whose server runs in place of this one's. */
  checkout?: string | undefined
  /** What customers do, by HTTP. */
  make(aglet: Aglet): Promise<Made & { tagUrl: string }>
  /** What is put into the data directory while no server runs on it. */
  seed?(data: string, made: Made): Promise<void>
  /** For the process that makes what is wanted, and for the one that is measured. */
  shared?: Record<string, string>
  /** For the process that is measured, besides its own. */
  environment?: Record<string, string>
}

/** A load of a bench is above what one team may send. */
export const noEventLimits = {
  AGLET_TEAM_EVENT_RATE: '9999999',
  AGLET_TEAM_EVENT_BURST: '9999999',
  AGLET_TAG_EVENT_RATE: '9999999',
  AGLET_TAG_EVENT_BURST: '9999999',
  AGLET_FAIR_SHARE_LOAD: '100',
}

/** Makes what is wanted on a fresh data directory, then starts the one role that is measured on a core of its own. */
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
  // A start of its own in any case: what is measured has not been warmed by what was made.
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
  return { who, keeps: 'disk', url: `${made.tagUrl}/tag`, pid: aglet.process.pid!, stop, aglet, made, startMs }
}

/** A process of Aglet on which customers are made. */
type MadeOn = Parameters<typeof makeCustomer>[0]

/** A tag with a channel to each of these addresses. */
export async function tagTo(deps: MadeOn, name: string, addresses: readonly string[]): Promise<Customer> {
  const customer = await makeCustomer(deps, name)
  for (const [n, address] of addresses.entries())
    await makeScript(customer, 'eventSink', `${name} ${n}`, sinkAt(address))
  return customer
}

/** A tag with so many channels that send each event to the vendor. */
export const tagWith = (deps: MadeOn, name: string, channels: number, vendor: string): Promise<Customer> =>
  tagTo(
    deps,
    name,
    Array.from({ length: channels }, (_, n) => `${vendor}/fast/${n}`),
  )

export const bareTag = { make: (aglet: Aglet) => makeCustomer(aglet, 'bench') }
