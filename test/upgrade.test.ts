import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { extract } from 'tar'
import { client } from '#contract/client.ts'
import { aglet, freePort, startAglet, stopAglet } from './fake/aglet.ts'
import { deliverReadmeEvent, root, type Welcome } from './ship/firstEvent.ts'

/** What each release has written (`npm run release` keeps it), as a later version finds it at an upgrade. */
const releases = globSync('test/releases/*.tgz', { cwd: root })
const folder = mkdtempSync(join(tmpdir(), 'aglet-upgrade-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('there is a release to upgrade from', () => assert.ok(releases.length > 0))

for (const file of releases)
  test(`what ${basename(file, '.tgz')} has written is brought up to date: its token, script and secret work, and it restores from a backup`, async () => {
    const cwd = join(folder, basename(file, '.tgz'))
    mkdirSync(cwd)
    await extract({ file: join(root, file), cwd })
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
      scripts.map(({ providerId, secrets }) => [providerId, secrets.EVENT_SINK_URL?.isSet]),
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
