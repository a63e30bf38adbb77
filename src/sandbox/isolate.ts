import type ivm from 'isolated-vm'
import { type CodeSource, codeFile } from '#provider/form/codeSource.ts'
import type { LimitBreach, ResultKind, ThrownError } from './frames.ts'
import { bodies, request, response } from './guest/bodies.ts'
import { consoleAndFetch } from './guest/consoleAndFetch.ts'
import { crypto, cryptoArguments, cryptoKeys } from './guest/crypto.ts'
import { headers } from './guest/headers.ts'
import { createRunner, installGlobals } from './guest/runner.ts'
import { textCodecs } from './guest/textCodecs.ts'
import { searchParams, url } from './guest/url.ts'
import { callHostFunction } from './hostFunctions.ts'
import { readDataBytes } from './processUsage.ts'
import { sandboxLimits } from './sandboxLimits.ts'

/** The result of one run. */
export type IsolateResult = { result: string } | { error: ThrownError } | { breach: LimitBreach }

/** The functions outside of the isolate that a run can call. */
type IsolateHost = {
  /** Starts a call with arguments as JSON and returns its number. Throws when the limit of calls is reached. */
  call(name: string, args: string): number
  log(level: 'log' | 'error', text: string): void
}

export type CodeIsolate = {
  run(resultKind: ResultKind, calls: readonly string[], params: string): Promise<IsolateResult>
  /** Settles a call with its value as JSON or with its error. Resolves with the failure of the resumed code, if any. */
  settle(call: number, value: string | undefined, error: string | undefined): Promise<IsolateFailure | undefined>
  /** Resolves when its memory is released. */
  dispose(): Promise<void>
}

const guestModules = [
  headers,
  textCodecs,
  searchParams,
  url,
  bodies,
  request,
  response,
  cryptoArguments,
  cryptoKeys,
  crypto,
  consoleAndFetch,
  installGlobals,
  createRunner,
]

/** The guest's functions are sent as source text; Node removed their types when it loaded this file. */
const bootstrapSource = `
const web = {}
const ask = $0, callOut = $1, logOut = $2, waiting = new Map()
// a text that leaves the isolate is copied, and the copy does not count towards the isolate's memory limit
const checkLength = (text) => {
  if (text.length > ${sandboxLimits.textLength}) throw new RangeError('The text is longer than 2 MiB')
  return text
}
const checkCall = (name, text) => {
  if (name !== 'fetch' && text.length > ${sandboxLimits.callLength}) throw new RangeError('The arguments of a call are longer than 1 MiB')
  return checkLength(text)
}
const host = {
  ask: (what, ...texts) => ask(what, ...texts.map(checkLength)),
  call: (name, args) =>
    new Promise((resolve, reject) => waiting.set(callOut(name, checkCall(name, JSON.stringify(args))), { resolve, reject })),
  log: (level, text) => logOut(level, text.slice(0, ${sandboxLimits.logBytes})),
}
${guestModules.map((each) => `;(${each})(host, web)`).join('\n')}
const settle = (call, value, error) => {
  const { resolve, reject } = waiting.get(call)
  waiting.delete(call)
  if (value === undefined) reject(new Error(error))
  else resolve(JSON.parse(value))
}
return { runner: web.runner, settle }`

const callback = (engine: typeof ivm, work: (...texts: string[]) => unknown) => new engine.Callback(work)

/** Opens an isolate for one script version and runs the top level of its code, which may fail. */
export async function openIsolate(
  engine: typeof ivm,
  code: CodeSource,
  name: string,
  host: IsolateHost,
): Promise<CodeIsolate> {
  const isolate = newIsolate(engine)
  const context = await isolate.createContext()
  const exports = (await context.evalClosure(
    bootstrapSource,
    [
      callback(engine, callHostFunction),
      callback(engine, (called, args) => host.call(`${called}`, `${args}`)),
      callback(engine, (level, text) => host.log(level === 'error' ? 'error' : 'log', `${text}`)),
    ],
    { result: { reference: true } },
  )) as ivm.Reference
  const main = await evaluateCode(isolate, context, code)
  if ('error' in main || 'breach' in main)
    return { run: async () => main, settle: async () => undefined, dispose: () => disposeIsolate(isolate) }
  const part = (name: string) => exports.getSync(name, { reference: true }) as ivm.Reference
  const settle = part('settle')
  const run = (await part('runner').apply(undefined, [main.derefInto(), name], {
    result: { reference: true },
  })) as ivm.Reference
  return {
    run: (resultKind, calls, params) => runIn(isolate, run, [resultKind, JSON.stringify(calls), params]),
    settle: (call, value, error) => settleCall(isolate, settle, [call, value, error]),
    dispose: () => disposeIsolate(isolate),
  }
}

/** The bytes that a new isolate maps, most of which V8 reserves for machine code. */
let isolateBytes: number | undefined

function newIsolate(engine: typeof ivm): ivm.Isolate {
  const bytes = readDataBytes('self')
  const isolate = new engine.Isolate({ memoryLimit: sandboxLimits.isolateMegabytes })
  if (bytes !== undefined) isolateBytes ??= readDataBytes('self')! - bytes
  return isolate
}

/** Iterations of the event loop. The disposal of an isolate that is stuck in its engine never completes. */
const maxDisposeTurns = 10_000

/**
 * Disposes an isolate and waits until its thread has released its memory, because a child's memory limit has room for
 * only one isolate.
 */
async function disposeIsolate(isolate: ivm.Isolate) {
  const bytes = readDataBytes('self')
  if (!isolate.isDisposed) isolate.dispose()
  if (bytes === undefined || isolateBytes === undefined) return
  const releasedBytes = bytes - isolateBytes * 0.75
  for (let turn = 0; turn < maxDisposeTurns && readDataBytes('self')! > releasedBytes; turn++)
    await new Promise((resolve) => setImmediate(resolve))
}

type IsolateFailure = Exclude<IsolateResult, { result: string }>

async function evaluateCode(
  isolate: ivm.Isolate,
  context: ivm.Context,
  { text, columnOffset }: CodeSource,
): Promise<ivm.Reference | IsolateFailure> {
  try {
    const script = await isolate.compileScript(text, { filename: codeFile, columnOffset })
    return (await script.run(context, { timeout: sandboxLimits.softCpuMs, reference: true })) as ivm.Reference
  } catch (error) {
    return toFailure(isolate, error)
  }
}

async function runIn(isolate: ivm.Isolate, run: ivm.Reference, args: string[]): Promise<IsolateResult> {
  try {
    const result = await run.apply(undefined, args, { timeout: sandboxLimits.softCpuMs, result: { promise: true } })
    return JSON.parse(`${result}`) as IsolateResult
  } catch (error) {
    return toFailure(isolate, error)
  }
}

async function settleCall(
  isolate: ivm.Isolate,
  settle: ivm.Reference,
  args: unknown[],
): Promise<IsolateFailure | undefined> {
  try {
    await settle.apply(undefined, args, { timeout: sandboxLimits.softCpuMs })
    return undefined
  } catch (error) {
    return toFailure(isolate, error)
  }
}

/** The engine reports a breach only in the text of its error. */
function toFailure(isolate: ivm.Isolate, error: unknown): IsolateFailure {
  const { name, message, stack } = (error instanceof Error ? error : new Error(String(error))) as Error
  if (message.includes('Script execution timed out')) return { breach: 'cpu' }
  if (isolate.isDisposed || message.includes('Isolate was disposed')) return { breach: 'memory' }
  return { error: { name: `${name}`, message: `${message}`, stack: `${stack}` } }
}
