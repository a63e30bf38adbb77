import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { extract } from 'tar'
import { freePort, startAglet } from './fake/aglet.ts'
import { root } from './ship/firstEvent.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-upgrade-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a data directory of before the logs is refused with a sentence that says what to do, and is not changed', async () => {
  const cwd = join(folder, 'old')
  mkdirSync(cwd)
  await extract({ file: join(root, 'test/releases/0.1.0.tgz'), cwd })
  const store = () => readFileSync(join(cwd, 'data/production/store.db'))
  const before = store()
  await assert.rejects(startAglet({ data: join(cwd, 'data'), port: await freePort() }), /aglet pull.*aglet apply/s)
  assert.deepEqual(store(), before)
})
