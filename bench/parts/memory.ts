import { bareTag, startMeasured } from '../aglet.ts'
import { fifty, load, residentMb, times } from '../load.ts'
import { counted, type Part, upTo } from '../part.ts'
import { using } from '../target.ts'

const steps = [100_000, 300_000, 1_000_000]
const perBody = 50

export const memory: Part = {
  name: 'memory',
  says: 'What the server holds in memory after so many events since its start.',
  async run({ largest }, tell) {
    await using([startMeasured({ who: 'Aglet', ...bareTag })], async ([target]) => {
      const { who, url, pid } = target!
      tell({ size: '0 events', who, figures: { residentMb: residentMb(pid) } })
      let sent = 0
      for (const events of upTo(largest, steps)) {
        const bodies = Math.ceil((events - sent) / perBody)
        sent += perBody * (await load({ url, connections: 16, ask: fifty, while: times(bodies) }))
        tell({ size: counted(sent, 'event'), who, figures: { residentMb: residentMb(pid) } })
      }
    })
  },
}
