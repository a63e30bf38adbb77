import type { MakeAsk } from './load.ts'
import { counted, type Row, type Scale } from './part.ts'
import { eventsFor, interleaved, sampleDelivery, withGrowth } from './sample.ts'
import { startVendor, type Target, using, type Vendor } from './target.ts'

export type Growth = {
  /** One after the other: each seeds with all the cores there are. */
  start(size: number, vendor: Vendor): Promise<Target>
  sizes: readonly number[]
  /** What there are so many of: a noun in the singular. */
  of: string
  askOf(size: number): MakeAsk
  /** How many deliveries an event comes to. */
  channelsOf(size: number): number
}

/** Servers of several sizes side by side: what a delivery costs in each, from the door to the vendor. */
export async function compareGrowth(growth: Growth, scale: Scale, tell: (row: Row) => void): Promise<void> {
  const { start, sizes, of, askOf, channelsOf } = growth
  await using([startVendor()], async ([vendor]) => {
    const targets: Target[] = []
    try {
      for (const size of sizes) targets.push(await start(size, vendor!))
      const sized = []
      for (const [n, target] of targets.entries()) {
        const through = { vendor: vendor!, channels: channelsOf(sizes[n]!), ask: askOf(sizes[n]!) }
        sized.push({ target, through: { ...through, events: await eventsFor(target, scale, through) } })
      }
      const samples = await interleaved(sized, scale.rounds, (one) => sampleDelivery(one.target, one.through))
      for (const [n, figures] of withGrowth(samples).entries())
        tell({ size: counted(sizes[n]!, of), who: 'Aglet', keeps: 'disk', figures })
    } finally {
      for (const target of targets) await target.stop()
    }
  })
}
