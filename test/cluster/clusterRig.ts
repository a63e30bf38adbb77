import { type AgletProcess, type AgletProcesses, startAgletProcesses } from '../../scripts/cluster/agletProcesses.ts'
import { type Customer, makeCustomer, until } from '../fake/aglet.ts'
import { type DatabasePaths, openTestCluster, type TestCluster } from '../fake/cluster.ts'
import { type Destination, openDestination } from '../fault/destination.ts'
import { kinds } from '../fault/events.ts'
import type { Verdict } from '../fault/oracle.ts'
import { type Sender, startSender } from '../fault/sender.ts'
import { makeChannels, type RigChannel, reachVerdict } from '../fault/verdict.ts'

/** Two edges, two workers and one control on a replicated database; each has its own ways to the database. */
export type ClusterRig = {
  cluster: TestCluster
  aglet: AgletProcesses
  pathsOf(process: AgletProcess): DatabasePaths
  customer: Customer
  /** Starts to send events to both edges, to channels whose destinations count them. */
  startLoad(name: string): Promise<ClusterLoad>
  /** Ends every fault that is left, and waits until all processes are ready. */
  repair(): Promise<void>
  close(): Promise<void>
}

/** The events of one test, on a tag of their own. */
export type ClusterLoad = {
  sender: Sender
  channels: readonly RigChannel[]
  /** Waits until so many more events were answered. */
  more(count: number): Promise<void>
  verdict(): Promise<Verdict>
}

const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000' }
const channelKinds = [kinds.sink, kinds.sink]
const perSecond = 100
const manyMs = 120_000
/** Nothing arrives for so long after the last retry: failed calls are repeated within it. */
const quietMs = 60_000

export async function openClusterRig(): Promise<ClusterRig> {
  const cluster = await openTestCluster()
  const paths = new Map<string, DatabasePaths>()
  const destinations: Destination[] = []
  async function databaseUrl(name: string): Promise<string> {
    const opened = await cluster.openPaths()
    paths.set(name, opened)
    return opened.url
  }
  const aglet = await startAgletProcesses({ folder: cluster.folder, databaseUrl, environment }).catch(async (error) => {
    await cluster.close()
    throw error
  })
  const control = aglet.of('control')[0]!
  const customer = await makeCustomer(control, 'first')
  return {
    cluster,
    aglet,
    customer,
    pathsOf: ({ name }) => paths.get(name)!,
    async startLoad(name) {
      let sender: Sender | undefined
      const opened = await Promise.all(
        channelKinds.map((kind) => openDestination(kind, (eventId) => sender?.sent.get(eventId))),
      )
      destinations.push(...opened)
      const own = await makeCustomer(control, name)
      const channels = await makeChannels(own, channelKinds, opened)
      const tagUrls = aglet.edgeOrigins.map((origin) => origin + new URL(own.tagUrl).pathname)
      const started = startSender(tagUrls, { name, perSecond })
      sender = started
      return {
        sender: started,
        channels,
        async more(count) {
          const enough = started.accepted.size + count
          await until(() => started.accepted.size > enough, manyMs)
        },
        verdict: () => reachVerdict({ customer: own, sender: started, channels }, quietMs),
      }
    },
    async repair() {
      cluster.repair()
      for (const { proxies } of paths.values()) for (const proxy of proxies) proxy.heal()
      for (const each of aglet.all) {
        each.signal('SIGCONT')
        if (!each.isAlive()) each.start()
      }
      await cluster.settled()
      await Promise.all(aglet.all.map((each) => each.ready()))
    },
    async close() {
      await cluster.close()
      await Promise.all(destinations.map((each) => each.close()))
    },
  }
}
