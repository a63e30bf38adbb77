import assert from 'node:assert/strict'
import { cpSync, existsSync, globSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../fake/aglet.ts'
import { deliverReadmeEvent, environment, root, start, stop, welcomeOf } from './firstEvent.ts'
import { gitFiles } from './packed.ts'

/** A copy of the files in git, without packages and builds. */
const clone = realpathSync(mkdtempSync(join(tmpdir(), 'aglet-clone-')))
after(() => rmSync(clone, { recursive: true, force: true }))

const maxInstalledMb = 220

test('npm start in a new clone installs at most 220 MB and no devDependencies, and delivers the README’s first event', async (t) => {
  for (const file of await gitFiles()) cpSync(join(root, file), join(clone, file))

  const began = Date.now()
  const started = start(['npm', 'start', '--', '--port', `${await freePort()}`], { cwd: clone, env: environment })
  const welcome = await welcomeOf(started)
  await deliverReadmeEvent(welcome)
  t.diagnostic(`${Math.round((Date.now() - began) / 1_000)} s from npm start to the first delivery`)
  await stop(started)

  const packages = join(clone, 'node_modules')
  const bytes = globSync('**', { cwd: packages }).map((path) => lstatSync(join(packages, path)).blocks * 512)
  const installedMb = bytes.reduce((sum, each) => sum + each, 0) / 1024 ** 2
  t.diagnostic(`${Math.round(installedMb)} MB in node_modules`)
  assert.ok(installedMb <= maxInstalledMb, `${installedMb} MB`)
  for (const name of ['typescript', '@biomejs/biome', 'playwright-core', 'fast-check'])
    assert.equal(existsSync(join(packages, name)), false, name)
})
