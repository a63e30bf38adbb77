import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Aglet, type Customer, freePort, makeCustomer } from '../fake/aglet.ts'
import { openDestination } from './destination.ts'
import { type ChannelKind, kinds } from './events.ts'
import type { Verdict } from './oracle.ts'
import { seed } from './random.ts'
import { type Sender, startSender } from './sender.ts'
import { beginAglet, cpuMs, end, freeze, kill, ready } from './server.ts'
import { journeyOf, makeChannels, type RigChannel, reachVerdict } from './verdict.ts'

/** Maximum deliveries of one channel in flight; at most this many may be repeated after a crash. */
export const inFlight = 256

export type FaultRigOptions = {
  name: string
  /** The data directory; by default a new folder, which is deleted at the end. */
  data?: string
  /** Only for the process: libraries to preload, and their settings. */
  environment?: Record<string, string>
  channels?: readonly ChannelKind[]
  /** Events sent per second; default 500. */
  perSecond?: number
}

export type FaultRig = {
  aglet(): Aglet
  customer: Customer
  sender: Sender
  channels: readonly RigChannel[]
  /**
   * Restarts the process; resolves with the time and the CPU time until it was ready (ms).
   */
  start(environment?: Record<string, string>): Promise<Restart>
  stop(signal: NodeJS.Signals): Promise<number | null>
  /** From now on the process does not respond. */
  freeze(): Promise<void>
  /** Starts the process and kills it after this many ms, whatever its state. */
  startAndKill(afterMs: number): Promise<void>
  /** Those of these events that the API does not know; all of them if it does not know the token. */
  unknown(ids: readonly string[]): Promise<string[]>
  /** Stops sending, waits for late arrivals, asks the API about missing events, and returns the verdict. */
  verdict(quietMs?: number): Promise<Verdict>
}
export type Restart = { wallMs: number; cpuMs: number }

const defaultChannels = [kinds.sink, kinds.sink, kinds.meta]
const common = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000' }

/** A separate Aglet process, with channels to destinations of this process, and a running sender. */
export async function openFaultRig(options: FaultRigOptions): Promise<FaultRig> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'aglet-fault-'))
  const port = await freePort()
  const sentOf = (id: string) => sender?.sent.get(id)
  let sender: Sender | undefined
  const used = options.channels ?? defaultChannels
  const destinations = await Promise.all(used.map((kind) => openDestination(kind, sentOf)))
  const metaUrl = destinations[used.indexOf(kinds.meta)]?.url
  const environment = { ...common, ...(metaUrl && { AGLET_VENDORS_URL: metaUrl }), ...options.environment }
  const begin = (more: Record<string, string> = {}) =>
    beginAglet({ data, port, environment: { ...environment, ...more } })
  let aglet = begin()
  after(async () => {
    await kill(aglet)
    await sender?.stop()
    await Promise.all(destinations.map(({ close }) => close()))
    if (!options.data) rmSync(data, { recursive: true, force: true })
  })
  await ready(aglet)
  const customer = await makeCustomer(aglet, options.name)
  const channels = await makeChannels(customer, used, destinations)
  const started = startSender(customer.tagUrl, { name: options.name, perSecond: options.perSecond ?? 500 })
  sender = started
  return {
    aglet: () => aglet,
    customer,
    sender,
    channels,
    async start(more) {
      const begun = performance.now()
      aglet = begin(more)
      await ready(aglet)
      return { wallMs: performance.now() - begun, cpuMs: cpuMs(aglet) }
    },
    stop: (signal) => end(aglet, signal),
    freeze: () => freeze(aglet),
    async startAndKill(afterMs) {
      aglet = begin()
      await setTimeout(afterMs)
      await kill(aglet)
    },
    async unknown(ids) {
      const known = await Promise.all(ids.map((id) => journeyOf(customer, id)))
      return ids.filter((_, at) => !known[at])
    },
    verdict: (quietMs) => reachVerdict({ customer, sender: started, channels }, quietMs),
  }
}

export type Figures = Record<string, number | string>

/** Records the result of a fault: in the test's output, and in the file that the long run summarises. */
export function report(t: TestContext, fault: string, figures: Figures): void {
  t.diagnostic(
    `${fault}: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
  )
  const file = process.env.FAULT_SUMMARY
  if (file) appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), seed, fault, ...figures })}\n`)
}

export const figuresOf = ({ lost, phantom, ...counts }: Verdict): Figures => ({
  ...counts,
  lost: lost.length,
  phantom: phantom.length,
})
