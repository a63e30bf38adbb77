import { providerIds } from '#contract/providerIds.ts'
import { startMeasured, tagWith } from '../aglet.ts'
import { compareGrowth } from '../growth.ts'
import { single } from '../load.ts'
import type { Part } from '../part.ts'

export const channels: Part = {
  name: 'channels',
  says: 'What one delivery costs in all, its share of intake and planning included, by how many channels the event goes to.',
  run: (scale, tell) =>
    compareGrowth(
      {
        of: 'channel',
        sizes: scale.isQuick ? [1, 5] : [1, 10, providerIds.length],
        start: (size, { url }) => startMeasured({ make: (aglet) => tagWith(aglet, 'bench', size, url) }),
        askOf: () => single,
        channelsOf: (size) => size,
      },
      scale,
      tell,
    ),
}
