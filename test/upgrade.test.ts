import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { extract } from 'tar'
import { client } from '#contract/client.ts'
import { aglet, freePort, startAglet, stopAglet } from './fake/aglet.ts'
import { deliverReadmeEvent, root, type Welcome } from './ship/firstEvent.ts'

/** Data directories written by each release (`npm run release` stores them). */
const releases = globSync('test/releases/*.tgz', { cwd: root })
const folder = mkdtempSync(join(tmpdir(), 'aglet-upgrade-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('at least one release is stored', () => assert.ok(releases.length > 0))

for (const file of releases)
  test(`a data directory of ${basename(file, '.tgz')} is migrated: its token, script and secret work, also after a restore from a backup`, async () => {
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
      scripts.map(({ providerId, secrets }) => [providerId, secrets?.EVENT_SINK_URL?.isSet]),
      [['eventSink', true]],
    )
    // The setting is newer than the release.
    assert.equal((await api.readTag({ tagId })).captureBeforeConsent, 'all')
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
