import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { Log } from './log.ts'
import { startThread } from './thread.ts'
import { startWorkerThread } from './workerThread.ts'

const moduleUrl = (name: string) => new URL(`./${name}.ts`, import.meta.url).href
const program = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`)

/** What a program does when it gets a message, and the reason that is logged. */
const deaths = {
  'throws outside a call': { does: 'throw new Error("a bug")', reason: /a bug/ },
  exits: { does: 'process.exit(7)', reason: /the thread has ended/ },
  'runs out of memory': {
    does: 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length))',
    reason: /reaching memory limit/,
  },
}

const dyingProgram = (does: string) =>
  program(`import { openThreadPort } from '${moduleUrl('workerThread')}'
    openThreadPort().listen(() => { ${does} }, () => {})`)

const heap = { data: 0, youngMb: 1, oldMb: 16 }

/** A process that starts a thread, sends it a message, and never exits by itself. */
const owner = (program: URL, limits: { youngMb: number; oldMb?: number }) => `
  import { startWorkerThread } from '${moduleUrl('workerThread')}'
  const program = new URL(${JSON.stringify(program.href)})
  const options = { data: 0, ...${JSON.stringify(limits)}, program, deathRule: 'endProcess', onMessage() {}, onEnd() {} }
  const thread = startWorkerThread(options)
  await thread.ready
  thread.post('die')
  setInterval(() => {}, 1_000)`

for (const [name, { does, reason }] of Object.entries(deaths)) {
  test(`a thread that ${name} ends the process with a log line where no other may take its place`, () => {
    const options = { encoding: 'utf8', timeout: 60_000 } as const
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', owner(dyingProgram(does), heap)],
      options,
    )
    assert.equal(status, 1, stderr)
    const line = JSON.parse(stderr.split('\n').find((each) => each.startsWith('{')) ?? '{}')
    assert.deepEqual([line.level, line.message], ['error', 'a thread died, so the process exits; start it again'])
    assert.match(line.error, reason)
  })

  test(`a thread that ${name} is logged, and its owner learns why, where another takes its place`, async () => {
    const line = Promise.withResolvers<Record<string, unknown>>()
    const ended: Error[] = []
    const thread = startWorkerThread({
      ...heap,
      program: dyingProgram(does),
      deathRule: 'replace',
      onMessage() {},
      onEnd: (why) => ended.push(why),
      log: line.resolve,
    })
    await thread.ready
    thread.post('die')
    const { level, message, error } = await line.promise
    assert.deepEqual([level, message], ['warn', 'a thread died and is being replaced'])
    assert.match(String(error), reason)
    assert.deepEqual(ended, [error])
  })
}

test('a thread that is closed or terminated, or whose program fails at the start, has not died', async () => {
  const log: Log = (line) => assert.fail(line.message)
  const text = `import { runThread } from '${moduleUrl('thread')}'
    runThread(() => ({ answer: (n) => n, close() {} }))`
  const closed = await startThread<number, number>(program(text), 0, 'endProcess', log)
  await closed.close()
  const terminated = await startThread<number, number>(program(text), 0, 'endProcess', log)
  await terminated.terminate()
  await assert.rejects(startThread(program('throw new Error("no such file")'), 0, 'endProcess', log), /no such file/)
})

test('the young generation of a thread has its own limit, whatever the process gives its main thread', () => {
  const fill = `let kept; for (let n = 0; n < 2e6; n++) kept = n % 2e5 ? [n, kept] : undefined
    const { space_size } = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')
    throw new Error('new_space: ' + (space_size >> 20) + ' MB')`
  const filled = program(`import { getHeapSpaceStatistics } from 'node:v8'
    import { openThreadPort } from '${moduleUrl('workerThread')}'
    openThreadPort().listen(() => { ${fill} }, () => {})`)
  const words = ['--max-semi-space-size=16', '--input-type=module', '-e', owner(filled, { youngMb: 4 })]
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 })
  assert.match(stderr, /new_space: [1-4] MB/)
})
