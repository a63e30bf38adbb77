import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { resolveDataDir } from './dataDir.ts'
import { announceServer, findDataDir } from './findDataDir.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-find-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function dataDir(name: string) {
  const dir = resolveDataDir(join(folder, name))
  const file = dir.store('production')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  return dir
}

/** The directory of a server with a shared database: it has a socket and no stores. */
function sharedDir(name: string) {
  const dir = resolveDataDir(join(folder, name))
  mkdirSync(dir.path, { recursive: true })
  writeFileSync(dir.socket, '')
  return dir
}

function find(data: string, home: string, isGiven = false, isShared = false) {
  const printed: string[] = []
  const dir = findDataDir(data, {
    env: { HOME: join(folder, home) },
    isGiven,
    isShared,
    printError: (text) => printed.push(text),
  })
  return { path: dir.path, printed: printed.join('') }
}

test('a command without --data uses the directory of the one running server, and says so', () => {
  const dir = dataDir('elsewhere')
  const release = announceServer(dir, { HOME: join(folder, 'one') })
  const nowhere = join(folder, 'nowhere')
  assert.deepEqual(find(nowhere, 'one'), {
    path: dir.path,
    printed: `Using ${dir.path}, the data directory of the running server.\n`,
  })
  assert.deepEqual(find(dir.path, 'one'), { path: dir.path, printed: '' })
  release()
  assert.throws(() => find(nowhere, 'one'), /Data directory .*nowhere not found.*--data.*aglet init/)
  assert.equal(existsSync(nowhere), false, 'nothing is created')
})

test('a given directory is never exchanged for another one', () => {
  announceServer(dataDir('other'), { HOME: join(folder, 'two') })
  assert.throws(() => find(join(folder, 'typo'), 'two', true), /Data directory .*typo not found/)
  const own = dataDir('own').path
  assert.deepEqual(find(own, 'two', true), { path: own, printed: '' })
})

test('of several running servers none is guessed, and one on files that no server uses is named', () => {
  const env = { HOME: join(folder, 'three') }
  const [a, b] = [dataDir('a'), dataDir('b')]
  announceServer(a, env)
  announceServer(b, env)
  assert.throws(() => find(join(folder, 'nowhere'), 'three'), /Several servers run here. Choose one with --data: /)
  const idle = dataDir('idle').path
  assert.match(find(idle, 'three').printed, /^No server runs on .*idle; its files are used; .*--data/)
})

test('the file of a server that was killed does not count', () => {
  const env = { HOME: join(folder, 'four') }
  announceServer(dataDir('killed'), env)
  const running = join(folder, 'four/.local/state/aglet/running')
  const [name] = readdirSync(running)
  writeFileSync(join(running, name!), JSON.stringify({ data: join(folder, 'killed'), pid: 2 ** 22 + 1 }))
  assert.throws(() => find(join(folder, 'nowhere'), 'four'), /Data directory .* not found/)
})

test('a server whose data are in a shared database is found too', () => {
  const dir = sharedDir('shared')
  announceServer(dir, { HOME: join(folder, 'five') })
  assert.equal(find(join(folder, 'nowhere'), 'five').path, dir.path)
  assert.equal(find(dir.path, 'six', true).path, dir.path)
})

test('with a shared database a command needs no directory of a server', () => {
  const nowhere = join(folder, 'nowhere')
  assert.equal(find(nowhere, 'seven', false, true).path, nowhere)
  assert.equal(find(nowhere, 'seven', true, true).path, nowhere)
})
