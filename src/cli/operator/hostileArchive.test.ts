import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemClock } from '#kit/clock.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import { readSettings } from '#settings/settings.ts'
import { restoreBackup } from './restore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-hostile-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Entry = { name: string; type?: string; text?: string; link?: string; mode?: string; size?: number }

/** One handmade tar entry: tar programs refuse to create such entries. */
function tarEntry({ name, type = '0', text = '', link = '', mode = '0000600', size = text.length }: Entry): Buffer {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write(`${mode}\0`, 100)
  head.write('0000000\0', 108)
  head.write('0000000\0', 116)
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  head.write('00000000000\0', 136)
  head.write('        ', 148)
  head.write(type, 156)
  head.write(link, 157)
  head.write('ustar\x0000', 257)
  const sum = head.reduce((all, byte) => all + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512)
  body.write(text)
  return Buffer.concat([head, body])
}
const tar = (...entries: Entry[]) => Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)])

const manifest = JSON.stringify({ format: 1, version: '1', at: 'now', files: {} })
const about = { name: 'aglet-backup.json', text: manifest }
const many = Array.from({ length: 200 }, (_, n) => ({
  name: `production/stream.log/${`${n}`.padStart(12, '0')}.seg`,
  text: 'x'.repeat(5_000),
}))

const archives: Record<string, Buffer> = {
  'no manifest': tar(...many),
  'a manifest that is no JSON': tar({ name: 'aglet-backup.json', text: 'no JSON' }, ...many),
  'a manifest that is null': tar({ name: 'aglet-backup.json', text: 'null' }),
  'a manifest that is a folder': tar({ name: 'aglet-backup.json', type: '5' }),
  'a link in place of a store': tar(about, ...many, { name: 'production/store.db', type: '2', link: '/etc/passwd' }),
  'a hard link': tar(about, { name: 'root.key', type: '1', link: '/etc/passwd' }),
  'a folder in place of a store': tar(about, { name: 'production/store.db', type: '5', mode: '0000000' }, ...many),
  'a device': tar(about, { name: 'root.key', type: '3' }),
  'a pipe': tar(about, { name: 'root.key', type: '6' }),
  'a path outside': tar(about, { name: '../../evil', text: 'x' }, ...many),
  'an absolute path': tar(about, { name: '/tmp/evil', text: 'x' }),
  'one name twice': tar(about, ...many, { name: 'root.key', text: 'a' }, { name: 'root.key', text: 'b' }),
  'a file that ends early': tar(about, ...many, { name: 'root.key', size: 1_000_000 }).subarray(0, -600),
  'a broken header': Buffer.concat([tar(about, ...many).subarray(0, -1024), Buffer.alloc(512, 65), Buffer.alloc(1024)]),
  'a gzip that ends early': gzipSync(tar(about, ...many)).subarray(0, 900),
}

test('a hostile archive leaves nothing in the folder, and is refused by one sentence', async () => {
  for (const [name, bytes] of Object.entries(archives)) {
    const file = join(folder, 'archive')
    writeFileSync(file, bytes)
    const dir = resolveDataDir(join(folder, name.replaceAll(' ', '-')))
    const options = {
      dir,
      settings: readSettings({}, {}),
      adapters: { openStore: () => assert.fail(name), openStream: () => assert.fail(name) },
      clock: systemClock,
    }
    const before = readdirSync(folder)
    await assert.rejects(restoreBackup(options, { file }), ({ message }: Error) => {
      assert.match(message, /^\S+ is not a complete Aglet backup: [^\n]{1,300}\.$/, name)
      return true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(readdirSync(dir.path), ['aglet.lock'], name)
    assert.deepEqual(
      readdirSync(folder).filter((each) => !before.includes(each)),
      [name.replaceAll(' ', '-')],
    )
  }
})

test('a folder that a killed restore left is deleted by the next one', async () => {
  const dir = resolveDataDir(join(folder, 'killed'))
  mkdirSync(join(dir.path, 'restoring-0123456789ab/production'), { recursive: true })
  writeFileSync(join(folder, 'archive'), archives['no manifest']!)
  const adapters = { openStore: () => assert.fail(), openStream: () => assert.fail() }
  const options = { dir, settings: readSettings({}, {}), adapters, clock: systemClock }
  await assert.rejects(restoreBackup(options, { file: join(folder, 'archive') }), /is not a complete Aglet backup/)
  assert.deepEqual(readdirSync(dir.path), ['aglet.lock'])
})
