import { setTimeout } from 'node:timers/promises'
import { until } from '../fake/aglet.ts'
import type { DatabasePaths, TestCluster } from '../fake/cluster.ts'

/** Where a fault happens: the cluster, and the ways of the clients to it. */
export type FaultPlace = { cluster: TestCluster; paths: DatabasePaths; random: () => number }

/** A fault of the database. `act` makes it, and repairs what does not repair itself unless it throws. */
export type DatabaseFault = { name: string; act(place: FaultPlace): Promise<void> }

const failoverMs = 60_000

/** Waits until another node than this one accepts writes. */
async function promoted({ cluster }: FaultPlace, before: { name: string }): Promise<void> {
  await until(async () => {
    const leader = await cluster.leader()
    return leader !== undefined && leader.name !== before.name
  }, failoverMs)
}

async function onPaths({ paths }: FaultPlace, act: (path: DatabasePaths['proxies'][number]) => void): Promise<void> {
  paths.proxies.forEach(act)
}

/** The faults of the primary, of which each ends with another node as the primary. */
export const primaryFaults: readonly DatabaseFault[] = [
  {
    name: 'the server of the primary is killed',
    async act(place) {
      const primary = await place.cluster.primary()
      place.cluster.killServer(primary)
      await promoted(place, primary)
    },
  },
  {
    name: 'the server of the primary is stopped immediately',
    async act(place) {
      const primary = await place.cluster.primary()
      place.cluster.stopServerImmediately(primary)
      await promoted(place, primary)
    },
  },
  {
    name: 'the machine of the primary is killed',
    async act(place) {
      const primary = await place.cluster.primary()
      place.cluster.kill(primary)
      await promoted(place, primary)
      primary.start()
    },
  },
  {
    name: 'the primary hands over in order',
    async act(place) {
      const primary = await place.cluster.primary()
      await place.cluster.switchover()
      await promoted(place, primary)
    },
  },
  {
    name: 'the machine of the primary stands still until another was promoted, and goes on',
    async act(place) {
      const primary = await place.cluster.primary()
      place.cluster.freeze(primary)
      await promoted(place, primary)
      await setTimeout(500)
      place.cluster.thaw(primary)
    },
  },
  {
    name: 'the primary is cut off from the other nodes and from etcd, and its clients still reach it',
    async act(place) {
      const primary = await place.cluster.primary()
      place.cluster.cutOff(primary)
      await promoted(place, primary)
      await setTimeout(500)
      place.cluster.repair()
    },
  },
]

/** The faults that leave the primary as it is. */
export const otherFaults: readonly DatabaseFault[] = [
  {
    name: 'the standby that commits wait for is killed',
    async act({ cluster }) {
      const name = (await cluster.status()).find(({ role }) => role === 'sync_standby')?.name
      const standby = cluster.nodes.find((node) => node.name === name) ?? (await cluster.standbys())[0]!
      cluster.kill(standby)
      await setTimeout(1_000)
      standby.start()
    },
  },
  {
    name: 'all standbys are killed',
    async act({ cluster }) {
      const standbys = await cluster.standbys()
      for (const standby of standbys) cluster.kill(standby)
      await setTimeout(1_000)
      for (const standby of standbys) standby.start()
    },
  },
  {
    name: 'all machines are killed at once',
    async act({ cluster }) {
      for (const node of cluster.nodes) cluster.kill(node)
      await setTimeout(200)
      for (const node of cluster.nodes) node.start()
    },
  },
  {
    name: 'etcd is killed and started again',
    async act({ cluster }) {
      process.kill(cluster.etcd().pid, 'SIGKILL')
      await cluster.etcd().ended
      await setTimeout(3_000)
      cluster.startEtcd()
    },
  },
  {
    name: 'a standby is cut off',
    async act({ cluster }) {
      const standby = (await cluster.standbys())[0]!
      cluster.cutOff(standby)
      await setTimeout(5_000)
      cluster.repair()
    },
  },
]

/** The faults of the network between a client and the database. */
export const pathFaults: readonly DatabaseFault[] = [
  {
    name: 'all connections of a client are reset',
    act: (place) => onPaths(place, (path) => path.cut()),
  },
  {
    name: 'the answer of a commit is swallowed',
    async act(place) {
      const count = () => place.paths.proxies.reduce((sum, path) => sum + path.swallowed(), 0)
      const before = count()
      await onPaths(place, (path) => path.swallowCommits(1))
      await until(() => count() > before)
      await onPaths(place, (path) => path.swallowCommits(0))
    },
  },
  {
    name: 'the paths of a client are black holes for a while',
    async act(place) {
      await onPaths(place, (path) => path.blackHole())
      await setTimeout(500 + place.random() * 3_000)
      await onPaths(place, (path) => path.heal())
    },
  },
  {
    name: 'the paths of a client are slow for a while',
    async act(place) {
      await onPaths(place, (path) => path.delay(20 + place.random() * 200))
      await setTimeout(2_000)
      await onPaths(place, (path) => path.heal())
    },
  },
]
