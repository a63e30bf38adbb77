import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'
import { startAgletProcesses } from '../scripts/cluster/agletProcesses.ts'
import { openClusterFolder } from '../scripts/cluster/clusterFolder.ts'
import { call, makeCustomer } from '../test/fake/aglet.ts'
import { median, quantile } from './load.ts'

const edges = 8
const askEveryMs = 10
const giveUpMs = 10_000

/** In ms since the call: until an edge serves the deployment, over all edges and deployments; and until the call is answered. */
type DeployLatency = { p50: number; p99: number; longest: number; answered: number }

/** Waits until an edge answers a page of this origin with the tag's new settings. */
async function untilServed(pool: Pool, path: string, origin: string): Promise<number> {
  const giveUpAt = performance.now() + giveUpMs
  while (performance.now() < giveUpAt) {
    const { statusCode, body } = await pool.request({ method: 'OPTIONS', path, headers: { origin } })
    await body.dump()
    if (statusCode === 204) return performance.now()
    await setTimeout(askEveryMs)
  }
  throw new Error(`an edge did not serve the deployment within ${giveUpMs} ms`)
}

/** Changes the allowed origins of a tag repeatedly, and polls all edges until each has the new one. */
export async function deployLatency(environment: Record<string, string>, deploys: number): Promise<DeployLatency> {
  const { AGLET_DATABASE_URL: url, ...settings } = environment
  const folder = openClusterFolder()
  try {
    const aglet = await startAgletProcesses({
      folder,
      databaseUrl: () => url!,
      counts: { control: 1, edge: edges, worker: 1 },
      environment: { AGLET_RATE_LIMIT: '1000000', ...settings },
    })
    const customer = await makeCustomer(aglet.of('control')[0]!, 'bench')
    const path = `${new URL(customer.tagUrl).pathname}/tag`
    const pools = aglet.edgeOrigins.map((origin) => new Pool(origin, { connections: 1, pipelining: 1 }))
    const served: number[] = []
    const answered: number[] = []
    for (let n = 0; n < deploys; n++) {
      const origin = `https://shop-${n}.example.com`
      const begun = performance.now()
      const answer = async () => {
        const { status } = await call(customer, 'PUT', `/tag/${customer.tagId}`, { allowedOrigins: [origin] })
        if (status !== 200) throw new Error(`the deployment answered ${status}`)
        answered.push(performance.now() - begun)
      }
      const [, ...known] = await Promise.all([answer(), ...pools.map((pool) => untilServed(pool, path, origin))])
      served.push(...known.map((at) => at - begun))
    }
    await Promise.all(pools.map((pool) => pool.close()))
    const figures = { p50: median(served), p99: quantile(served, 0.99), longest: Math.max(...served) }
    return { ...figures, answered: median(answered) }
  } finally {
    await folder.remove()
  }
}
