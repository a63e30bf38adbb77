// Computes how many machines a number of events needs: `npm run capacity -- --events 10000 --channels 5`. Uses the costs of
// bench/capacityCosts.json, or a file of your own measurements: `--costs FILE`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { CapacityCosts } from './capacity/costs.ts'
import { type CapacityWish, planCapacity, usualWish } from './capacity/plan.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    channels: { type: 'string', default: '5' },
    bytes: { type: 'string', default: `${usualWish.eventBytes}` },
    use: { type: 'string', default: `${usualWish.use}` },
    cores: { type: 'string', default: `${usualWish.shardCores}` },
    wal: { type: 'string', default: `${usualWish.walMegabytes}` },
    connections: { type: 'string', default: `${usualWish.connections}` },
    network: { type: 'string', default: `${usualWish.networkMegabits}` },
    costs: { type: 'string', default: join(import.meta.dirname, '../bench/capacityCosts.json') },
  },
})
const wish: CapacityWish = {
  events: Number(values.events),
  channels: Number(values.channels),
  eventBytes: Number(values.bytes),
  use: Number(values.use),
  shardCores: Number(values.cores),
  walMegabytes: Number(values.wal),
  connections: Number(values.connections),
  networkMegabits: Number(values.network),
}
for (const [name, value] of Object.entries(wish))
  if (!(value > 0)) throw new RangeError(`${name} must be a number above 0`)
const costs = JSON.parse(readFileSync(values.costs, 'utf8')) as CapacityCosts
const plan = planCapacity(costs, wish)
const round = (value: number) => Math.round(value).toLocaleString('en')
console.log(`${round(wish.events)} events a second with ${wish.channels} channels, by the costs of: ${costs.machine}`)
console.log(`edges       ${plan.edges}, one core each`)
console.log(`workers     ${plan.workers}, one core each`)
console.log(
  `databases   ${plan.shards} primaries of ${wish.shardCores} cores, each with two standbys; ` +
    `${plan.walMegabytesEach.toFixed(1)} MB of log a second and ${round(plan.connectionsEach)} connections each`,
)
console.log(`cores       ${round(plan.cores)}, without standbys`)
console.log('one primary reaches its limits, the first one first, at events a second:')
for (const { name, events } of plan.limits) console.log(`  ${name.padEnd(16)} ${round(events)}`)
if (plan.installations > 1)
  console.log(
    `Each process connects to every primary, and each worker hears every edge: divide the tags among ${plan.installations} ` +
      'separate installations, so that connections and notices stay within their limits.',
  )
