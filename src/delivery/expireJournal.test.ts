import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#kit/log.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import { aTag } from '../../test/fake/tag.ts'
import { expireJournal } from './expireJournal.ts'

const cutoffs = {} as RetentionCutoffs
type Tag = { tagId: string; teamId?: string; slices: number }

/** Runs the retention of a journal whose tags have this many slices, and returns the tag of each slice in order. */
async function slicesOf(tags: readonly Tag[], { broken, abortAfter }: { broken?: string; abortAfter?: number } = {}) {
  const stopping = new AbortController()
  const slices: string[] = []
  const logged: Parameters<Log>[0][] = []
  const ids = tags.map(({ tagId }) => tagId).sort()
  const deps = {
    clock: { wait: async () => {} },
    log: (line: Parameters<Log>[0]) => void logged.push(line),
    store: {
      async tag(tagId: string) {
        const teamId = tags.find((each) => each.tagId === tagId)?.teamId
        return teamId === undefined ? undefined : { ...aTag([], { tagId }), teamId }
      },
      journal: {
        nextKeptTag: async (after: string) => ids.find((tagId) => tagId > after),
        async dropExpired(_: RetentionCutoffs, tagId: string, after = '1') {
          if (tagId === broken) throw new Error('its rows cannot be read')
          slices.push(tagId)
          if (slices.length === abortAfter) stopping.abort()
          const all = tags.find((each) => each.tagId === tagId)?.slices ?? 1
          return { dropped: 1, ...(Number(after) < all && { next: String(Number(after) + 1) }) }
        },
      },
    },
  } as unknown as Parameters<typeof expireJournal>[0]
  await expireJournal(deps, cutoffs, stopping.signal)
  return { slices, logged }
}

test('a team with many old rows in many tags delays the retention of another team by four slices in each round', async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({ tagId: `a${n}`, teamId: 'many', slices: 50 }))
  const { slices } = await slicesOf([...many, { tagId: 'z', teamId: 'one', slices: 12 }])
  const until = slices.slice(0, slices.lastIndexOf('z'))
  assert.equal(until.filter((tagId) => tagId !== '' && tagId !== 'z').length, 3 * 4)
  assert.equal(new Set(until).size, 2 + 3 * 4, 'the tags of a team take turns too')
  assert.equal(slices.length, 1 + 300 * 50 + 12, 'and all is dropped')
})

test('the tags that no team has any more, and what belongs to many tags, have the turns of one team', async () => {
  const gone = Array.from({ length: 50 }, (_, n) => ({ tagId: `a${n}`, slices: 9 }))
  const { slices } = await slicesOf([...gone, { tagId: 'z', teamId: 'one', slices: 8 }])
  assert.equal(slices.slice(0, slices.lastIndexOf('z')).filter((tagId) => tagId !== 'z').length, 2 * 4)
})

test('a team whose rows cannot be dropped holds up no other team', async () => {
  const tags = ['a', 'b', 'c'].map((tagId) => ({ tagId, teamId: `team ${tagId}`, slices: 5 }))
  const { slices, logged } = await slicesOf(tags, { broken: 'a' })
  assert.deepEqual(slices.toSorted(), ['', ...Array(5).fill('b'), ...Array(5).fill('c')])
  assert.deepEqual(
    logged.map(({ message }) => message),
    ['could not drop old rows of the journal'],
  )
})

test('no slice is dropped after the signal', async () => {
  const { slices } = await slicesOf([{ tagId: 'a', teamId: 'team a', slices: 50 }], { abortAfter: 7 })
  assert.equal(slices.length, 7)
})
