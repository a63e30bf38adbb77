import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '#kit/clock.ts'
import { openDatabase } from '#kit/sqlite.ts'
import { entry } from '#stream/stream.fixture.ts'
import { streamLaws } from '#stream/stream.suite.ts'
import { openLogStream } from './logStream.ts'

const temporaryDirectory = () => mkdtemp(join(tmpdir(), 'aglet-stream-'))

streamLaws('a log', async () => {
  const directory = await temporaryDirectory()
  return {
    open: (clock) => openLogStream(join(directory, 'stream.db'), clock),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})

test('every confirmed append is in the files before the stream is closed', async () => {
  const directory = await temporaryDirectory()
  const copy = await temporaryDirectory()
  const stream = await openLogStream(join(directory, 'stream.db'), systemClock)
  const keys = Array.from({ length: 300 }, (_, n) => BigInt(n + 1))
  await Promise.all(keys.map((key) => stream.append(entry([key]))))
  await cp(directory, copy, { recursive: true })
  const restored = await openLogStream(join(copy, 'stream.db'), systemClock)
  assert.equal(await restored.waiting(), 300)
  assert.deepEqual(
    await restored.append(entry(keys)),
    keys.map(() => false),
  )
  await Promise.all([stream.close(), restored.close()])
  await Promise.all([directory, copy].map((path) => rm(path, { recursive: true })))
})

test('a stream of a newer schema is refused with a message', async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'stream.db')
  await (await openLogStream(path, systemClock)).close()
  using db = openDatabase(path)
  db.exec("INSERT INTO migration (number, name) VALUES (9999, '9999-later.sql')")
  await assert.rejects(openLogStream(path, systemClock), /stream\.db was written by a newer Aglet \(schema 9999/)
  await rm(directory, { recursive: true })
})
