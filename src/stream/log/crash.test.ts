import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '#kit/clock.ts'
import { type Disk, openDisk } from '#log/disk.ts'
import { LogUnwritable } from '#log/log.ts'
import { logFolderOf } from '#log/logFolder.ts'
import { dayMs, entry, start, textOf } from '#stream/stream.fixture.ts'
import { type LogStream, openLogStream } from './logStream.ts'

const root = mkdtempSync(join(tmpdir(), 'aglet-stream-'))
after(() => rmSync(root, { recursive: true, force: true }))
const at = { now: start }
const clock: Clock = { now: () => at.now, wait: async () => {} }
const neverAborted = new AbortController().signal
let folders = 0
const newFolder = () => join(root, String(++folders))

/** A disk whose syncs can be held or fail, whose erasures can fail, and that counts the bytes that are read. */
function createTestDisk(folder: string) {
  const disk = openDisk(folder)
  const held: (() => void)[] = []
  const state = { holds: false, failsSync: false, failsErasure: false, bytesRead: 0 }
  const controlled: Disk = {
    ...disk,
    async write(file, bytes, offset) {
      if (state.failsErasure && bytes.every((byte) => byte === 0)) throw new Error('EIO')
      if (state.holds) await new Promise<void>((resolve) => held.push(resolve))
      await disk.write(file, bytes, offset)
    },
    async sync(file) {
      if (state.failsSync) {
        state.failsSync = false
        throw new Error('EIO')
      }
      await disk.sync(file)
    },
    read(file, bytes, offset) {
      const count = disk.read(file, bytes, offset)
      state.bytesRead += count
      return count
    },
  }
  const release = () => {
    state.holds = false
    for (const resume of held.splice(0)) resume()
  }
  return { disk: controlled, state, release }
}
type TestDisk = ReturnType<typeof createTestDisk>

describe('a stream on a log', () => {
  let folder: string
  let stream: LogStream
  let testDisk: TestDisk

  const open = async () => {
    testDisk = createTestDisk(logFolderOf(join(folder, 'stream.db')))
    stream = await openLogStream(join(folder, 'stream.db'), clock, testDisk.disk)
  }
  beforeEach(async () => {
    at.now = start
    folder = newFolder()
    await open()
  })
  afterEach(() => stream.close())
  /** Opens a copy of the current files, as after a crash. `before`: changes the copy. */
  const crash = async (before?: (log: string) => void) => {
    const next = newFolder()
    cpSync(folder, next, { recursive: true })
    testDisk.release()
    await stream.close()
    folder = next
    before?.(logFolderOf(join(folder, 'stream.db')))
    await open()
  }
  const leaseAll = async () => {
    const leased: string[] = []
    while ((await stream.waiting()) > 0) {
      const some = await stream.lease(100, neverAborted)
      await stream.settle(some.map(({ position }) => position))
      leased.push(...some.map(({ payload }) => textOf(payload)))
    }
    return leased
  }
  const filesContain = (text: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text))

  test('gives the keys of a failed group back, and none of its events appears later', async () => {
    await stream.append(entry([1n], 'before'))
    testDisk.state.failsSync = true
    const failed = [stream.append(entry([2n, 3n], 'lost')), stream.append(entry([4n], 'lost too'))]
    for (const each of failed) await assert.rejects(each, LogUnwritable)
    assert.equal(await stream.waiting(), 1)
    assert.deepEqual(await stream.append(entry([3n, 2n], 'again')), [true, true])
    await crash()
    assert.deepEqual(await leaseAll(), ['before', 'again'])
    assert.deepEqual(await stream.append(entry([2n, 3n, 4n])), [false, false, true])
  })

  test('refuses a duplicate whose first copy fails', async () => {
    await stream.append(entry([1n]))
    testDisk.state.failsSync = true
    const results = await Promise.allSettled([[2n], [2n], [2n, 3n]].map((keys) => stream.append(entry(keys))))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    assert.deepEqual(await stream.append(entry([2n, 3n])), [true, true])
  })

  test('answers a duplicate of an event in flight only once that event is on disk', async () => {
    await stream.append(entry([1n]))
    testDisk.state.holds = true
    const first = stream.append(entry([2n]))
    let hasAnswered = false
    const second = stream.append(entry([2n])).finally(() => {
      hasAnswered = true
    })
    for (let n = 0; n < 20; n++) await turn()
    assert.equal(hasAnswered, false)
    testDisk.release()
    assert.deepEqual(await Promise.all([first, second]), [[true], [false]])
  })

  test('leaves no byte of an erased payload in its files', async () => {
    await stream.append(entry([1n], 'canary one'))
    await stream.append(entry([2n], 'other'))
    await stream.rewrite((await stream.find(1n))!.position, () => Buffer.from('erased'))
    assert.ok(!filesContain('canary'))
    await crash()
    assert.deepEqual(await leaseAll(), ['erased', 'other'])
    await stream.rewrite((await stream.find(2n))!.position, () => Buffer.from('erased too'))
    assert.ok(!filesContain('other'))
  })

  test('finishes an erasure at the next start that a crash cut off', async () => {
    await stream.append(entry([1n], 'canary'))
    testDisk.state.failsErasure = true
    const { position } = (await stream.find(1n))!
    await assert.rejects(stream.rewrite(position, () => Buffer.from('erased')))
    await assert.rejects(stream.trim(0), 'the index does not pass an erasure that is not done')
    assert.ok(filesContain('canary'))
    await crash()
    assert.ok(!filesContain('canary'))
    assert.equal(textOf((await stream.read(position))!.payload), 'erased')
  })

  test('erases the earlier copy of a body that retention moves', async () => {
    await stream.append(entry([1n], 'canary'))
    const { position } = (await stream.find(1n))!
    await leaseAll()
    at.now += 8 * dayMs
    await stream.trim(at.now - 7 * dayMs, { lastMs: 0, needed: async () => [position] })
    await stream.rewrite(position, () => Buffer.from('erased'))
    assert.ok(!filesContain('canary'))
    assert.equal(textOf((await stream.read(position))!.payload), 'erased')
  })

  test('deletes a moved body once it is older than lastMs, though its segment is younger', async () => {
    await stream.append(entry([1n], 'canary'))
    const { position } = (await stream.find(1n))!
    await leaseAll()
    const needed = async () => [position]
    at.now += 8 * dayMs
    await stream.trim(at.now - 7 * dayMs, { lastMs: start, needed })
    assert.equal(textOf((await stream.read(position))!.payload), 'canary')
    await stream.append(entry([2n], 'young'))
    await stream.trim(at.now - 7 * dayMs, { lastMs: start + 1, needed })
    assert.equal(await stream.read(position), undefined)
    assert.ok(!filesContain('canary'))
    await crash()
    assert.equal(await stream.read(position), undefined)
    assert.deepEqual(await leaseAll(), ['young'])
  })

  test('keeps the bodies that are appended while old segments are deleted', async () => {
    await stream.append(entry([1n], 'old'))
    await leaseAll()
    at.now += 8 * dayMs
    const needed = async () => {
      for (const n of [2n, 3n, 4n]) {
        at.now += dayMs
        await stream.append(entry([n], `new ${n}`))
      }
      return []
    }
    await stream.trim(at.now - 7 * dayMs, { lastMs: 0, needed })
    await crash()
    assert.deepEqual(await leaseAll(), ['new 2', 'new 3', 'new 4'])
  })

  test('leases after a crash what was appended before and behind a checkpoint', async () => {
    await Promise.all([1n, 2n, 3n].map((key) => stream.append(entry([key], `before ${key}`))))
    testDisk.state.holds = true
    const inFlight = stream.append(entry([4n], 'in flight'))
    const trimmed = stream.trim(0)
    for (let n = 0; n < 20; n++) await turn()
    testDisk.release()
    await Promise.all([inFlight, trimmed])
    await stream.append(entry([5n], 'behind'))
    await crash()
    assert.equal(await stream.waiting(), 5)
    assert.deepEqual(await leaseAll(), ['before 1', 'before 2', 'before 3', 'in flight', 'behind'])
    assert.deepEqual(await stream.append(entry([4n, 5n, 6n])), [false, false, true])
  })

  test('leases what waits after bodies were moved to the end of the log', async () => {
    await stream.append(entry([1n], 'first'))
    await Promise.all([2n, 3n].map((key) => stream.append(entry([key], `body ${key}`))))
    await stream.rewrite((await stream.find(1n))!.position, () => Buffer.from('moved'))
    await stream.trim(0)
    assert.deepEqual(await leaseAll(), ['moved', 'body 2', 'body 3'])
  })

  test('reads at a start only what lies behind the checkpoint', async () => {
    const large = 'x'.repeat(20_000)
    for (let n = 1n; n <= 50n; n++) await stream.append(entry([n], large))
    await stream.close()
    await open()
    await stream.append(entry([51n], 'behind'))
    await crash()
    assert.ok(testDisk.state.bytesRead < large.length, `${testDisk.state.bytesRead} bytes were read`)
    assert.equal(await stream.waiting(), 51)
  })

  test('goes on behind a part of the log that cannot be read, and gives its positions to no other body', async () => {
    for (const n of [1n, 2n, 3n]) await stream.append(entry([n], `body ${n}`))
    const last = stream.lastPosition()
    await crash((log) => {
      const file = join(log, readdirSync(log)[0]!)
      const bytes = readFileSync(file)
      bytes.write('X', bytes.indexOf('body 2'))
      writeFileSync(file, bytes)
      assert.ok(statSync(file).size > 0)
    })
    assert.equal(await stream.waiting(), 2)
    await stream.append(entry([2n], 'again'))
    assert.ok(stream.lastPosition() > last)
    assert.deepEqual(await leaseAll(), ['body 1', 'body 3', 'again'])
  })
})
