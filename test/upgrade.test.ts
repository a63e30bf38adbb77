import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { extract } from 'tar'
import { client } from '#contract/client.ts'
import own from '../package.json' with { type: 'json' }
import { aglet, freePort, startAglet, stopAglet } from './fake/aglet.ts'
import { deliverReadmeEvent, environment, root, run, type Welcome } from './ship/firstEvent.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-upgrade-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Data directories written by each release; before the first release, by this version. */
const stored = globSync('test/releases/[0-9]*.tgz', { cwd: root }).map((file) => join(root, file))
const releases = stored.length > 0 ? stored : [join(folder, `${own.version}.tgz`)]
before(async () => {
  if (stored.length === 0)
    await run(process.execPath, ['scripts/release/data.ts', folder], { cwd: root, env: environment })
})

for (const file of releases)
  test(`a data directory of ${basename(file, '.tgz')} opens: its token, script and secret work, also after a restore from a backup`, async () => {
    const cwd = join(folder, basename(file, '.tgz'))
    mkdirSync(cwd)
    await extract({ file, cwd })
    const release = JSON.parse(readFileSync(join(cwd, 'release.json'), 'utf8')) as Omit<Welcome, 'origin'>
    const data = join(cwd, 'data')

    const server = await startAglet({ data, port: await freePort() })
    const { tagId, token, teamId } = release
    const api = client({ baseUrl: `${server.origin}/v1`, token, teamId })
    assert.deepEqual(
      (await api.readMe()).tags.map((tag) => tag.tagId),
      [tagId],
    )
    const { scripts } = await api.listScripts({ tagId })
    assert.deepEqual(
      scripts.map(({ providerId, secrets }) => [providerId, secrets?.EVENT_SINK_URL?.isSet]),
      [['eventSink', true]],
    )
    await deliverReadmeEvent({ ...release, origin: server.origin, eventId: 'after-the-upgrade' })
    const backup = join(cwd, 'backup.tar')
    await aglet(data, 'backup', backup, '--with-root-key')
    await stopAglet(server)

    const restored = join(cwd, 'restored')
    await aglet(restored, 'restore', backup)
    const second = await startAglet({ data: restored, port: await freePort() })
    await deliverReadmeEvent({ ...release, origin: second.origin, eventId: 'after-the-restore' })
    await stopAglet(second)
  })

test('a data directory of before the logs is refused with a sentence that says what to do, and is not changed', async () => {
  const cwd = join(folder, 'old')
  mkdirSync(cwd)
  await extract({ file: join(root, 'test/releases/before-logs.tgz'), cwd })
  const store = () => readFileSync(join(cwd, 'data/production/store.db'))
  const before = store()
  await assert.rejects(startAglet({ data: join(cwd, 'data'), port: await freePort() }), /aglet pull.*aglet apply/s)
  assert.deepEqual(store(), before)
})
