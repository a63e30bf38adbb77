import { startMeasured, tagWith } from '../aglet.ts'
import { compareGrowth } from '../growth.ts'
import { residentMb, single } from '../load.ts'
import { counted, type Part, upTo } from '../part.ts'
import { seedTags } from '../seed.ts'

export const tags: Part = {
  name: 'tags',
  says: 'What an event costs by how many tags there are, each with a channel of its own; the events go to all in turn.',
  async run(scale, tell) {
    const paths = new Map<number, string[]>()
    await compareGrowth(
      {
        of: 'tag',
        sizes: upTo(scale.largest, [1, 100, 10_000]),
        async start(size, { url }) {
          const target = await startMeasured({
            make: (aglet) => tagWith(aglet, 'bench', 1, url),
            async seed(data, { tagId }) {
              const seeded = await seedTags(data, tagId, size - 1, `${url}/fast/0`)
              paths.set(
                size,
                [tagId, ...seeded].map((each) => `/t/${each}/tag`),
              )
            },
          })
          const figures = { residentMb: residentMb(target.pid) }
          tell({ size: `${counted(size, 'tag')}, just started`, who: 'Aglet', figures })
          return target
        },
        askOf(size) {
          let next = 0
          const all = paths.get(size)!
          return (sentAtMs) => ({ ...single(sentAtMs), path: all[next++ % all.length]! })
        },
        channelsOf: () => 1,
      },
      scale,
      tell,
    )
  },
}
