import type { Cluster } from '#cluster/cluster.ts'

/**
 * One cluster for a control database and its event shards. Each shard has its own members and slots, because a worker's
 * transactions must find its lease in their database. So a process has one worker for each shard. `shards`: in the
 * order of their numbers; one of them may be `control`.
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
