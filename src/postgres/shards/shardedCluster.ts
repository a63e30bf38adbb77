import type { Cluster } from '#cluster/cluster.ts'

/**
 * One cluster of a control database and its event shards. Each shard has members and slots of its own, because a worker's
 * transactions must find its lease in their database; so a process has one worker for each shard. `shards`: in the order
 * of their numbers; one of them may be `control`.
 */
export function openShardedCluster(control: Cluster, shards: readonly Cluster[]): Cluster {
  const all = [...new Set([control, ...shards])]
  return {
    members: control.members,
    leases: control.leases,
    changes: {
      follow(apply) {
        for (const { changes } of all) changes.follow(apply)
      },
      acknowledged: control.changes.acknowledged,
    },
    async startWorker(start) {
      const workers = await Promise.all(
        shards.map((cluster, shard) => cluster.startWorker((ownership) => start({ ...ownership, shard }))),
      )
      return {
        async stop() {
          await Promise.all(workers.map((worker) => worker.stop()))
        },
      }
    },
    async close() {
      await Promise.all(all.map((cluster) => cluster.close()))
    },
  }
}
