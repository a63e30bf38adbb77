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
