/**
 * People who read pages of the dashboard. A process of its own with low priority, so that the load generator on the same
 * core is not late because of their answers.
 * `node bench/reader.ts ORIGIN TOKEN TEAM COUNT PAUSE_MS PATH…`
 */
import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'

const [origin = '', token = '', teamId = '', count = '', pauseMs = '', ...paths] = process.argv.slice(2)
const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }

async function readOn(): Promise<never> {
  const pool = new Pool(origin, { connections: 1, pipelining: 1 })
  for (;;)
    for (const path of paths) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}`)
      await wait(Number(pauseMs))
    }
}

setPriority(19)
await Promise.all(Array.from({ length: Number(count) }, readOn))
