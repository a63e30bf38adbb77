import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'

/** The time of all cores since the machine started, and the part of it for which they were busy, in ms. */
type CoreTimes = { busyMs: number; allMs: number }

export function readCoreTimes(): CoreTimes {
  const sum = { busyMs: 0, allMs: 0 }
  for (const { times } of cpus()) {
    const busyMs = times.user + times.nice + times.sys + times.irq
    sum.busyMs += busyMs
    sum.allMs += busyMs + times.idle
  }
  return sum
}

/**
 * Measures the load of the server. The returned function gives, since the previous call, the larger of two shares of time,
 * from 0 to 1: for which the event loop was busy (Node's event loop utilization), and for which the cores of the machine
 * were, whoever kept them busy.
 */
export function watchServerLoad(readCores = readCoreTimes): () => number {
  let loop = performance.eventLoopUtilization()
  let cores = readCores()
  return () => {
    const nowLoop = performance.eventLoopUtilization()
    const nowCores = readCores()
    const { utilization } = performance.eventLoopUtilization(nowLoop, loop)
    const passedMs = nowCores.allMs - cores.allMs
    const coresBusy = passedMs > 0 ? (nowCores.busyMs - cores.busyMs) / passedMs : 0
    loop = nowLoop
    cores = nowCores
    return Math.max(utilization, coresBusy)
  }
}
