import { performance } from 'node:perf_hooks'

/**
 * Measures the load of the event loop. The returned function gives the share of time, from 0 to 1, for which the loop was
 * busy since the previous call (Node's event loop utilization).
 */
export function watchLoopLoad(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
