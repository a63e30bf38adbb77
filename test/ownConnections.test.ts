import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort } from './fake/aglet.ts'
import { deliverReadmeEvent, environment, root, start, stop, welcomeOf } from './ship/firstEvent.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-connections-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Preloaded into every process of the server: records each connection and DNS lookup. */
const recorder = `
import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
const record = (line) => { try { appendFileSync(process.env.CONNECTIONS_FILE, line + '\\n') } catch {} }
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...words) {
  const [options] = Array.isArray(words[0]) ? words[0] : words
  record('connect ' + (options?.path ?? options?.host ?? '127.0.0.1'))
  return connect.apply(this, words)
}
for (const name of Object.keys(dns).filter((each) => /^(lookup|resolve)/.test(each))) {
  const original = dns[name]
  dns[name] = (...words) => { record('dns ' + words[0]); return original(...words) }
}
const send = dgram.Socket.prototype.send
dgram.Socket.prototype.send = function (...words) { record('udp'); return send.apply(this, words) }
syncBuiltinESMExports()
`

test('a server without channels and hooks connects to itself alone', async () => {
  const [module, file] = [join(folder, 'recorder.mjs'), join(folder, 'connections')]
  writeFileSync(module, recorder)
  const env = { ...environment, NODE_OPTIONS: `--import=${pathToFileURL(module)}`, CONNECTIONS_FILE: file }
  const words = ['sh', 'scripts/aglet.sh', 'serve', '--port', `${await freePort()}`, '--data', join(folder, 'data')]
  const started = start(words, { cwd: root, env })
  await deliverReadmeEvent(await welcomeOf(started))
  await stop(started)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  assert.ok(lines.includes('connect 127.0.0.1'), 'the delivery to its own inbox is recorded')
  const others = lines.filter(
    (line) => !/^connect (?:127\.0\.0\.1|::1|localhost|\/.*)$|^dns (?:127\.0\.0\.1|localhost)$/.test(line),
  )
  assert.deepEqual(others, [])
})
