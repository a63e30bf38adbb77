import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { snapshot } from '#edge/edge.fixture.ts'
import { createSnapshots } from '#script/snapshot.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { readEdgeFile } from './edgeFile.ts'
import { keepEdgeFile } from './keepEdgeFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-keep-edge-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('the file is written at the start, after a change and every ten minutes, and never while the database is silent', async () => {
  const rootKeys = { inUse: Buffer.alloc(32, 7) }
  const place = { path: join(folder, 'edge.sealed'), environment: 'production', rootKeys } as const
  const keys = openKeyring(rootKeys.inUse, 'production')
  const [first, second] = [snapshot(), snapshot({ tagId: 'tag_second' })]
  keys.createTeamKey(first.teamId)
  const snapshots = createSnapshots([first])
  const clock = turnedClock()
  let silentMs = 0
  const kept = keepEdgeFile({
    ...{
      ...place,
      keys,
      snapshots,
      clock,
      servedHosts: createServedHosts(),
      demoInbox: 'inbox',
      monotonicMs: clock.now,
    },
    store: { sealingKeys: async () => [] } as never,
    cluster: { members: { silentMs: () => silentMs } } as never,
    log: ({ error }) => assert.fail(`${error}`),
  })
  const turn = async (ms: number) => {
    await until('it waits', () => clock.sleeping() > 0)
    await clock.turn(ms)
    await until('it waits', () => clock.sleeping() > 0)
  }
  const read = async () => {
    await until('it waits', () => clock.sleeping() > 0)
    const { writtenAt, snapshots: found } = (await readEdgeFile(place, clock.now()))!
    return { writtenAt, tags: found.map(({ tagId }) => tagId) }
  }
  const atStart = await read()
  assert.deepEqual(atStart.tags, [first.tagId])
  snapshots.put(second)
  await turn(5_000)
  assert.deepEqual(await read(), atStart, 'nobody said that something has changed')
  silentMs = 5_000
  kept.changed()
  await turn(5_000)
  assert.deepEqual(await read(), atStart)
  silentMs = 0
  await turn(5_000)
  const changed = await read()
  assert.deepEqual(changed.tags, [first.tagId, second.tagId])
  await turn(595_000)
  assert.deepEqual(await read(), changed)
  await turn(10_000)
  assert.ok((await read()).writtenAt > changed.writtenAt)
  const stopped = kept.stop()
  await clock.turn(5_000)
  await stopped
})
