import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLocate } from './locate.ts'
import { mmdb } from './mmdb.fixture.ts'

async function fileOf(t: TestContext, bytes: Buffer | string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'geo-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'city.mmdb')
  await writeFile(file, bytes)
  return file
}

const bitsOf = (ip: string) =>
  ip
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
const city = { country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'CA' }, { iso_code: 'XX' }] }

test('the built-in file has the country of public IPv4 and IPv6 addresses', async () => {
  const locate = await openLocate()
  assert.deepEqual(locate('8.8.8.8'), { country: 'US' })
  assert.deepEqual(locate('2a00:1450:4001:81b::200e'), { country: 'IE' })
  assert.deepEqual(locate('::ffff:8.8.8.8'), { country: 'US' })
})

test('the location of an address that is private, malformed or not in the file is unknown', async () => {
  const locate = await openLocate()
  for (const ip of ['127.0.0.1', '10.0.0.1', '::1', 'fe80::1%eth0', '', 'x', '1.2.3', '8.8.8.8:80', '999.1.1.1'])
    assert.deepEqual(locate(ip), {}, ip)
})

test("an operator's city file also has the subdivision", async (t) => {
  const file = mmdb(
    [
      { bits: bitsOf('192.0.2.7'), row: city },
      { bits: bitsOf('192.0.2.8'), row: { country: { iso_code: 'DE' } } },
      { bits: bitsOf('192.0.2.9'), row: { continent: 'x' } },
    ],
    4,
  )
  const locate = await openLocate(await fileOf(t, file))
  assert.deepEqual(locate('192.0.2.7'), { country: 'US', region: 'US-CA' })
  assert.deepEqual(locate('192.0.2.8'), { country: 'DE' })
  assert.deepEqual(locate('192.0.2.9'), {})
  assert.deepEqual(locate('192.0.2.10'), {})
})

test('the location of an IPv6 address is unknown in an IPv4-only file', async (t) => {
  const locate = await openLocate(await fileOf(t, mmdb([{ bits: bitsOf('192.0.2.7'), row: city }], 4)))
  assert.deepEqual(locate('2001:db8::1'), {})
  assert.deepEqual(locate('::ffff:192.0.2.7'), { country: 'US', region: 'US-CA' })
})

test('the error for a missing or broken file names the file', async (t) => {
  await assert.rejects(
    openLocate('/nowhere/city.mmdb'),
    /^Error: The geo file \/nowhere\/city.mmdb cannot be read \(ENOENT\)/,
  )
  for (const bytes of ['', 'not a database', Buffer.alloc(10_000)]) {
    const file = await fileOf(t, bytes)
    await assert.rejects(openLocate(file), {
      message: `The geo file ${file} is not a MaxMind-format .mmdb file. Replace it.`,
    })
  }
})
