import { createRequire } from 'node:module'
import type ivm from 'isolated-vm'
import { parseSource } from '#provider/form/codeSource.ts'
import { type ChildMessage, type LimitBreach, type ParentMessage, readFrames, type ThrownError } from './frames.ts'
import { type CodeIsolate, type IsolateResult, openIsolate } from './isolate.ts'
import { sandboxLimits } from './sandboxLimits.ts'

/**
 * The program of a child process: runs the code of one team in sequence, one script version at a time. Its
 * arguments are the path of the engine and the wall time of a run in milliseconds. It has no network, no files and no
 * environment; it only writes frames to its output.
 */
const [, , enginePath = '', wallMs] = process.argv
const engine = (createRequire(import.meta.url)(enginePath) as { ivm: typeof ivm }).ivm

const send = (frame: ChildMessage) => void process.stdout.write(`${JSON.stringify(frame)}\n`)

type CurrentRun = {
  id: number
  calls: number
  logged: number
  open: Set<number>
  end(breach: { breach: LimitBreach }): void
}

let isolate: Promise<CodeIsolate> | undefined
let current: CurrentRun | undefined
let nextCallId = 0

function callHost(name: string, args: string): number {
  if (!current) throw plainError('Calls outside of a run are not possible')
  if (++current.calls > sandboxLimits.calls) throw plainError(`A run can make at most ${sandboxLimits.calls} calls`)
  const call = nextCallId++
  current.open.add(call)
  send({ is: 'call', id: current.id, call, name, args })
  return call
}

function log(level: 'log' | 'error', text: string) {
  if (!current || current.logged >= sandboxLimits.logBytes) return
  current.logged += text.length + 1
  send({ is: 'log', id: current.id, level, text })
}

const isolateHost = { call: callHost, log }

const failedIsolate = (error: ThrownError): CodeIsolate => ({
  run: async () => ({ error }),
  settle: async () => undefined,
  dispose: async () => {},
})

async function loadCode({ code, name }: Extract<ParentMessage, { is: 'code' }>) {
  await (await isolate)?.dispose()
  const source = parseSource(code, name)
  if ('text' in source) {
    isolate = openIsolate(engine, source, name, isolateHost).catch(({ name, message }: Error) =>
      failedIsolate({ name, message, stack: '' }),
    )
    return
  }
  const { message, line, column } = source
  isolate = Promise.resolve(failedIsolate({ name: 'SyntaxError', message, stack: `code.js:${line}:${column}` }))
}

/** Resolves when the run exceeds its CPU or wall time. The CPU time is measured for the whole child process. */
function watchLimits() {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<{ breach: LimitBreach }>()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu)
    if ((user + system) / 1_000 > sandboxLimits.softCpuMs) resolve({ breach: 'cpu' })
    else if (performance.now() - startedAt > Number(wallMs)) resolve({ breach: 'wall' })
  }, 50)
  return { breach: promise, end: resolve, stop: () => clearInterval(timer) }
}

async function executeRun({ id, resultKind, calls: names, params }: Extract<ParentMessage, { is: 'run' }>) {
  const limitWatch = watchLimits()
  current = { id, calls: 0, logged: 0, open: new Set(), end: limitWatch.end }
  const work = isolate?.then((each) => each.run(resultKind, names, params))
  const result: IsolateResult = await Promise.race([
    work ?? Promise.resolve<IsolateResult>({ breach: 'died' }),
    limitWatch.breach,
  ])
  limitWatch.stop()
  current = undefined
  send({ is: 'done', id, ...result })
  // Code may still run in the isolate, so no other run starts. The parent kills this process.
  if ('breach' in result) await new Promise(() => {})
}

/** Delivers the answer to a call. Drops an answer for a run that has ended. */
async function deliverAnswer(frame: Extract<ParentMessage, { is: 'answer' }>) {
  const run = current
  if (!run?.open.delete(frame.call)) return
  const currentIsolate = await isolate
  const [value, error] = 'value' in frame ? [frame.value, undefined] : [undefined, frame.error]
  const failed = await currentIsolate?.settle(frame.call, value, error)
  if (failed && 'breach' in failed) run.end(failed)
}

/** An error without a stack, which would contain paths of this program. */
function plainError(message: string): Error {
  const error = new Error(message)
  error.stack = `Error: ${message}`
  return error
}

let frameQueue = Promise.resolve()

function handleFrame(frame: unknown) {
  const message = frame as ParentMessage
  if (message.is === 'answer') void deliverAnswer(message)
  else frameQueue = frameQueue.then(() => (message.is === 'code' ? loadCode(message) : executeRun(message)))
}

/** Ends the process at once; an orderly exit would wait for the isolate. */
const exitNow = () => process.kill(process.pid, 'SIGKILL')

readFrames(process.stdin, sandboxLimits.frameBytes, handleFrame, exitNow)
// the parent process has ended
process.stdin.on('end', exitNow)
const isRefused = (scope: string) => process.permission?.has(scope) === false
send({ is: 'ready', permission: isRefused('fs.write') && isRefused('child') && isRefused('worker') })
