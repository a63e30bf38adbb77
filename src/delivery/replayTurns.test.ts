import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openActivity } from '#kit/activity.ts'
import type { Log } from '#kit/log.ts'
import type { ReplayRecord } from '#store/replays.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { runReplays } from './replayRunner.ts'

type LogLine = Parameters<Log>[0]

const replay = (teamId: string, n: number): ReplayRecord => ({
  ...{ replayId: `${teamId} ${n}`, tagId: `tag ${teamId} ${n}`, teamId, by: 'tok_1', state: 'queued', createdAt: 0 },
  ...{ filter: { statuses: ['dead'] }, tally: {} },
})

/** Runs replays that each have this many slices without a match, and returns the slices in order. */
async function slicesOf(replays: ReplayRecord[], slices: number, broken?: string, lines: LogLine[] = []) {
  const clock = turnedClock()
  const read: string[] = []
  const left = new Map(replays.map(({ replayId }) => [replayId, slices]))
  const byTag = new Map(replays.map(({ tagId, replayId }) => [tagId, replayId]))
  const ended = new Set<string>()
  const stopping = new AbortController()
  const unused = () => assert.fail('this replay has no match')
  const deps = {
    clock,
    log: (line: LogLine) => lines.push(line),
    activity: openActivity(),
    ownership: { owns: () => true },
    snapshots: { get: (tagId: string) => aTag([aScript('scr_1')], { tagId }) },
    dispatcher: { markStored: unused },
    store: {
      journal: { nameUnreadable: unused },
      replays: {
        unfinished: async () => replays.filter(({ replayId }) => !ended.has(replayId)),
        pendingByScript: async () => ({}),
        async candidates(tagId: string) {
          const replayId = byTag.get(tagId)!
          if (replayId === broken) throw new Error('its filter cannot be read')
          read.push(replayId)
          left.set(replayId, left.get(replayId)! - 1)
          return { rows: [], ...(left.get(replayId)! > 0 && { cursor: 'more' }) }
        },
        async saveProgress(replayId: string, { state }: { state: string }) {
          if (state === 'sending') ended.add(replayId)
        },
      },
    },
  } as unknown as Parameters<typeof runReplays>[0]
  const running = runReplays(deps, stopping.signal)
  const wanted = replays.length - (broken ? 1 : 0)
  await until('the replays are read', async () => {
    await clock.turn(1_000)
    return ended.size === wanted
  })
  stopping.abort()
  await clock.turn(2_000)
  await running
  return read
}

test('a team that replays many tags delays the replay of another team by one slice in each round', async () => {
  const many = Array.from({ length: 20 }, (_, n) => replay('many', n))
  const slices = await slicesOf([...many, replay('one', 0)], 4)
  const last = slices.lastIndexOf('one 0')
  assert.equal(slices.slice(0, last).filter((each) => each.startsWith('many')).length, 4)
  const firstOfMany = slices.slice(0, 8).filter((each) => each.startsWith('many'))
  assert.equal(new Set(firstOfMany).size, 4, 'the tags of a team take turns too')
})

test('a replay that cannot be read holds up no other team, and is logged with its team', async () => {
  const lines: LogLine[] = []
  const slices = await slicesOf([replay('bad', 0), replay('one', 0)], 3, 'bad 0', lines)
  assert.deepEqual(slices, ['one 0', 'one 0', 'one 0'])
  const [{ level, teamId } = {}] = lines as { level?: string; teamId?: string }[]
  assert.deepEqual([level, teamId], ['error', 'bad'])
})
