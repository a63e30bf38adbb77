import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import aglet from '../../package.json' with { type: 'json' }
import { freePort } from '../../test/fake/aglet.ts'
import { deliverReadmeEvent, environment, root, start, stop, welcomeOf } from '../../test/ship/firstEvent.ts'

/**
 * Stores a data directory written by this version, for test/upgrade.test.ts of later versions: `test/releases/0.1.0.tgz` has
 * `data`, with the demo and one delivered event, and `release.json`, with the ids and the token. Its keys open nothing else.
 * To use another folder: `npm run release:data -- FOLDER`.
 */
const [, , releases = join(root, 'test/releases')] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'aglet-release-'))
try {
  const words = ['sh', 'scripts/aglet.sh', 'serve', '--port', `${await freePort()}`, '--data', join(folder, 'data')]
  const started = start(words, { cwd: root, env: environment })
  const { tagId, teamId, token, origin } = await welcomeOf(started)
  await deliverReadmeEvent({ tagId, teamId, token, origin, eventId: `before-${aglet.version}` })
  await stop(started)
  writeFileSync(join(folder, 'release.json'), JSON.stringify({ version: aglet.version, tagId, teamId, token }))
  mkdirSync(releases, { recursive: true })
  const file = join(releases, `${aglet.version}.tgz`)
  await create({ cwd: folder, file, gzip: { level: 9 }, portable: true }, ['release.json', 'data'])
  process.stderr.write(`Stored a data directory of ${aglet.version} in ${file}.\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
