import { machineFaults, otherFaults, pathFaults, primaryFaults } from './databaseFaults.ts'
import { onPathOf, type ProcessFault, processFaults, underLoad } from './processFaults.ts'

/** The faults of one cluster, ordered by part. */
export const clusterFaults: readonly ProcessFault[] = [
  ...processFaults,
  ...[...primaryFaults, ...otherFaults, ...machineFaults].map(underLoad),
  ...pathFaults.flatMap((fault) => [onPathOf('edge', fault), onPathOf('worker', fault)]),
]

const [part = 1, parts = 1] = (process.env.CLUSTER_PART ?? '1/1').split('/').map(Number)

/** `CLUSTER_PART=2/4` runs every fourth fault, from the second on. Default: all. */
export const isInPart = (index: number): boolean => index % parts === part - 1

/** The tests with databases of their own, or that end with another database: their parts follow those of the faults. */
const others = [
  'shards',
  'clocks',
  'starts',
  'controls',
  'moveFiles',
  'restoreDatabase',
  'startsWithoutLeader',
] as const

/** Why a test does not run in this part; false if it does. */
export const otherPart = (name: (typeof others)[number]): string | false =>
  !isInPart(clusterFaults.length + others.indexOf(name)) && 'SKIPPED: this fault belongs to another CLUSTER_PART'
