import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { until } from '../fake/aglet.ts'
import type { DatabasePaths, TestCluster } from '../fake/cluster.ts'
import { type ClusterDisks, whyNoDisks } from './clusterDisks.ts'

/** The target of a fault: the cluster, its disks, and the clients' connections to it. */
export type FaultPlace = {
  cluster: TestCluster
  disks: ClusterDisks
  paths: readonly DatabasePaths[]
  /** The times at which another node became leader (ms, `performance.now`). */
  promotions: number[]
  random: () => number
}

/** A fault of the database. `act` causes it, and repairs everything that does not recover by itself, unless it throws. */
export type DatabaseFault = {
  name: string
  /** Why it cannot be caused here. */
  skip?: string | false
  act(place: FaultPlace): Promise<void>
}

const failoverMs = 60_000

/** Waits until a node other than this one accepts writes. */
async function promoted({ cluster, promotions }: FaultPlace, before: { name: string }): Promise<void> {
  await until(async () => {
    const leader = await cluster.leader()
    return leader !== undefined && leader.name !== before.name
  }, failoverMs)
  promotions.push(performance.now())
}

async function onPaths({ paths }: FaultPlace, act: (path: DatabasePaths['proxies'][number]) => void): Promise<void> {
  for (const { proxies } of paths) proxies.forEach(act)
}

/** The faults of the primary; each ends with another node as the primary. */
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
    name: 'the standbys stand still, and the machine of the primary is killed',
    async act(place) {
      const primary = await place.cluster.primary()
      const standbys = await place.cluster.standbys()
      for (const standby of standbys) place.cluster.freeze(standby)
      await setTimeout(500)
      place.cluster.kill(primary)
      for (const standby of standbys) place.cluster.thaw(standby)
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

/** The faults after which the primary is the same. */
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

/** The faults of the machines of the database: power and disk. */
export const machineFaults: readonly DatabaseFault[] = [
  {
    name: 'the power of the primary fails',
    skip: whyNoDisks,
    async act(place) {
      const primary = await place.cluster.primary()
      await place.disks.losePower([primary])
      await promoted(place, primary)
    },
  },
  {
    name: 'the power of all machines fails at once',
    skip: whyNoDisks,
    act: ({ cluster, disks }) => disks.losePower(cluster.nodes),
  },
  {
    name: 'the disk of the primary is full for a while',
    skip: whyNoDisks,
    async act({ cluster, disks }) {
      const disk = disks.of(await cluster.primary())
      disk.fill()
      const write = cluster.sql('CREATE TABLE public.too_large AS SELECT generate_series(1, 100000)', 'aglet')
      await write.then(
        () => assert.fail('the disk was not full'),
        () => {},
      )
      await setTimeout(1_500)
      disk.empty()
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
      const counts = () => place.paths.map(({ proxies }) => proxies.reduce((sum, path) => sum + path.swallowed(), 0))
      const before = counts()
      await onPaths(place, (path) => path.swallowCommits(1))
      await until(() => counts().every((count, n) => count > before[n]!))
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
