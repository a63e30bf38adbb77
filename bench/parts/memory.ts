import { bareTag, startMeasured } from '../aglet.ts'
import { fifty, load, type MakeAsk, residentMb, single, times } from '../load.ts'
import { counted, type Part, type Row, type Scale, upTo } from '../part.ts'
import { using } from '../target.ts'

const steps = [100_000, 300_000, 1_000_000]

/** A separate server for each kind of body, so that its memory only depends on that kind. */
async function fill(perBody: number, ask: MakeAsk, { largest }: Scale, tell: (row: Row) => void): Promise<void> {
  await using([startMeasured({ who: `Aglet, ${counted(perBody, 'event')} a body`, ...bareTag })], async ([target]) => {
    const { who, url, pid } = target!
    tell({ size: '0 events', who, figures: { residentMb: residentMb(pid) } })
    let sent = 0
    for (const events of upTo(largest, steps)) {
      const bodies = Math.ceil((events - sent) / perBody)
      sent += perBody * (await load({ url, connections: perBody === 1 ? 64 : 16, ask, while: times(bodies) }))
      tell({ size: counted(sent, 'event'), who, figures: { residentMb: residentMb(pid) } })
    }
  })
}

export const memory: Part = {
  name: 'memory',
  says: 'What the server holds in memory after so many events since its start.',
  async run(scale, tell) {
    await fill(1, single, scale, tell)
    await fill(50, fifty, scale, tell)
  },
}
