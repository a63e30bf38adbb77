import { startMeasured, tagWith } from '../aglet.ts'
import { compareGrowth } from '../growth.ts'
import { eventIdAt, type MakeAsk, shopEvent } from '../load.ts'
import { type Part, upTo } from '../part.ts'
import { personOf, seedUsers } from '../seed.ts'

/** An event of one of these users, who is known by id and e-mail. */
const someoneOf =
  (users: number): MakeAsk =>
  (sentAtMs) => {
    const { userId, email } = personOf(Math.floor(Math.random() * users))
    const event = { ...shopEvent(eventIdAt(sentAtMs)), userEmail: email }
    return { body: JSON.stringify(event), headers: { serviceuserid: userId } }
  }

export const users: Part = {
  name: 'users',
  says: 'What an event of a known person costs with one channel, by how many people the tag knows.',
  run: (scale, tell) =>
    compareGrowth(
      {
        of: 'user',
        sizes: upTo(scale.largest, [1_000, 30_000, 1_000_000]),
        start: (size, { url }) =>
          startMeasured({
            make: (aglet) => tagWith(aglet, 'bench', 1, url),
            seed: (data, { tagId }) => seedUsers(data, tagId, size),
          }),
        askOf: someoneOf,
        channelsOf: () => 1,
      },
      scale,
      tell,
    ),
}
