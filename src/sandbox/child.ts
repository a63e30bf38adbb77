import { createRequire } from 'node:module'
import type ivm from 'isolated-vm'
import { parseSource } from '#provider/form/codeSource.ts'
import { type Breach, type FromChild, readFrames, type Thrown, type ToChild } from './frames.ts'
import { limits } from './limits.ts'
import { type Ended, openTenant, type Tenant } from './tenant.ts'

/**
 * The program of a child: runs the code of one team, one run after another, the code of one script version at a time.
 * Its first argument is the engine's file. It has no network, no files and no environment; all it can do is answer.
 */
const engine = (createRequire(import.meta.url)(process.argv[2]!) as { ivm: typeof ivm }).ivm

const say = (frame: FromChild) => void process.stdout.write(`${JSON.stringify(frame)}\n`)

type Run = { id: number; calls: number; logged: number; open: Set<number>; end(breach: { breach: Breach }): void }

let tenant: Promise<Tenant> | undefined
let current: Run | undefined
let calls = 0

function callOut(name: string, args: string): number {
  if (!current) throw bare('Nothing can be called outside of a run')
  if (++current.calls > limits.calls) throw bare(`A run may make at most ${limits.calls} calls`)
  const call = calls++
  current.open.add(call)
  say({ is: 'call', id: current.id, call, name, args })
  return call
}

function log(level: 'log' | 'error', text: string) {
  if (!current || current.logged >= limits.logBytes) return
  current.logged += text.length + 1
  say({ is: 'log', id: current.id, level, text })
}

const outside = { call: callOut, log }

const failing = (error: Thrown): Tenant => ({
  run: async () => ({ error }),
  settle: async () => undefined,
  dispose: async () => {},
})

async function takeCode({ code, name }: Extract<ToChild, { is: 'code' }>) {
  await (await tenant)?.dispose()
  const source = parseSource(code, name)
  if ('text' in source) {
    tenant = openTenant(engine, source, name, outside).catch(({ name, message }: Error) =>
      failing({ name, message, stack: '' }),
    )
    return
  }
  const { message, line, column } = source
  tenant = Promise.resolve(failing({ name: 'SyntaxError', message, stack: `code.js:${line}:${column}` }))
}

/** Resolves when the run has used more than it may. The clock of the processor is the whole child's. */
function overrun() {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const { promise, resolve } = Promise.withResolvers<{ breach: Breach }>()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu)
    if ((user + system) / 1_000 > limits.softCpuMs) resolve({ breach: 'cpu' })
    else if (performance.now() - begun > limits.wallMs) resolve({ breach: 'wall' })
  }, 50)
  return { breach: promise, end: resolve, stop: () => clearInterval(timer) }
}

async function takeRun({ id, shape, calls: names, params }: Extract<ToChild, { is: 'run' }>) {
  const watched = overrun()
  current = { id, calls: 0, logged: 0, open: new Set(), end: watched.end }
  const work = tenant?.then((each) => each.run(shape, names, params))
  const ended: Ended = await Promise.race([work ?? Promise.resolve<Ended>({ breach: 'died' }), watched.breach])
  watched.stop()
  current = undefined
  say({ is: 'done', id, ...ended })
  // whatever goes on in the isolate, no other run may meet it: we are killed for it
  if ('breach' in ended) await new Promise(() => {})
}

/** An answer that comes after its run has ended is nobody's. */
async function takeAnswer(frame: Extract<ToChild, { is: 'answer' }>) {
  const run = current
  if (!run?.open.delete(frame.call)) return
  const on = await tenant
  const [value, error] = 'value' in frame ? [frame.value, undefined] : [undefined, frame.error]
  const failed = await on?.settle(frame.call, value, error)
  if (failed && 'breach' in failed) run.end(failed)
}

/** Without a stack: it would tell of this program's files. */
function bare(message: string): Error {
  const error = new Error(message)
  error.stack = `Error: ${message}`
  return error
}

let line = Promise.resolve()

function take(frame: unknown) {
  const told = frame as ToChild
  if (told.is === 'answer') void takeAnswer(told)
  else line = line.then(() => (told.is === 'code' ? takeCode(told) : takeRun(told)))
}

/** At once, whatever the isolate is doing: an orderly exit would wait for it. */
const die = () => process.kill(process.pid, 'SIGKILL')

readFrames(process.stdin, limits.frameBytes, take, die)
// whoever started us has gone
process.stdin.on('end', die)
say({ is: 'ready' })
