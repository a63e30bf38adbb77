import type { MakeAsk } from './load.ts'
import { counted, type Row, type Scale } from './part.ts'
import { eventsFor, interleaved, sampleDelivery, withGrowth } from './sample.ts'
import { startVendor, type Target, using, type Vendor } from './target.ts'

export type Growth = {
  /** In sequence: each uses all cores for its seed. */
  start(size: number, vendor: Vendor): Promise<Target>
  sizes: readonly number[]
  /** The name of what the size counts: a noun in the singular. */
  of: string
  askOf(size: number): MakeAsk
  /** The number of deliveries of an event. */
  channelsOf(size: number): number
}

/** Compares servers of several sizes side by side: the cost of a delivery in each, from the intake to the vendor. */
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
      const samples = await interleaved(sized, scale.rounds, ({ target, through }) =>
        sampleDelivery(target, through, target.laterMs),
      )
      for (const [n, figures] of withGrowth(samples).entries())
        tell({ size: counted(sizes[n]!, of), who: 'Aglet', keeps: 'disk', figures })
    } finally {
      for (const target of targets) await target.stop()
    }
  })
}
