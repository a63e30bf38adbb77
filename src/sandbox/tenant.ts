import type ivm from 'isolated-vm'
import { type CodeSource, codeFile } from '#provider/form/codeSource.ts'
import { ask } from './ask.ts'
import type { Breach, Shape, Thrown } from './frames.ts'
import { bodies, request, response } from './guest/bodies.ts'
import { crypto } from './guest/crypto.ts'
import { headers } from './guest/headers.ts'
import { outside } from './guest/outside.ts'
import { furnish, runner } from './guest/run.ts'
import { text } from './guest/text.ts'
import { searchParams, url } from './guest/url.ts'
import { limits } from './limits.ts'
import { dataBytesOf } from './usage.ts'

/** How one run ended. */
export type Ended = { result: string } | { error: Thrown } | { breach: Breach }

/** What the isolate reaches outside of itself during a run. */
export type Outside = {
  /** Begins a call, arguments as JSON, and gives its number. Throws when no more calls may be made. */
  call(name: string, args: string): number
  log(level: 'log' | 'error', text: string): void
}

export type Tenant = {
  run(shape: Shape, calls: readonly string[], params: string): Promise<Ended>
  /** Ends a call: its value as JSON, or why it failed. Resolves with the breach that the code behind it made, if any. */
  settle(call: number, value: string | undefined, error: string | undefined): Promise<Failed | undefined>
  /** Resolves when its memory has been given back. */
  dispose(): Promise<void>
}

const guest = [headers, text, searchParams, url, bodies, request, response, crypto, outside, furnish, runner]

/** The guest's functions are sent as their texts; the types were taken out when this file was loaded. */
const furniture = `
const web = {}
const ask = $0, callOut = $1, logOut = $2, waiting = new Map()
// a text that crosses is copied, and copied texts count outside of the isolate's limit
const small = (text) => {
  if (text.length > ${limits.textLength}) throw new RangeError('The text is longer than 2 MiB')
  return text
}
const host = {
  ask: (what, ...texts) => ask(what, ...texts.map(small)),
  call: (name, args) =>
    new Promise((resolve, reject) => waiting.set(callOut(name, small(JSON.stringify(args))), { resolve, reject })),
  log: (level, text) => logOut(level, text.slice(0, ${limits.logBytes})),
}
${guest.map((each) => `;(${each})(host, web)`).join('\n')}
const settle = (call, value, error) => {
  const { resolve, reject } = waiting.get(call)
  waiting.delete(call)
  if (value === undefined) reject(new Error(error))
  else resolve(JSON.parse(value))
}
return { runner: web.runner, settle }`

const callback = (engine: typeof ivm, work: (...texts: string[]) => unknown) => new engine.Callback(work)

/** One script version in an isolate of its own. What its code does at its top level happens here, and may fail. */
export async function openTenant(
  engine: typeof ivm,
  code: CodeSource,
  name: string,
  outside: Outside,
): Promise<Tenant> {
  const isolate = newIsolate(engine)
  const context = await isolate.createContext()
  const given = (await context.evalClosure(
    furniture,
    [
      callback(engine, ask),
      callback(engine, (called, args) => outside.call(`${called}`, `${args}`)),
      callback(engine, (level, said) => outside.log(level === 'error' ? 'error' : 'log', `${said}`)),
    ],
    { result: { reference: true } },
  )) as ivm.Reference
  const main = await evaluate(isolate, context, code)
  if ('error' in main || 'breach' in main)
    return { run: async () => main, settle: async () => undefined, dispose: () => disposeOf(isolate) }
  const part = (name: string) => given.getSync(name, { reference: true }) as ivm.Reference
  const settle = part('settle')
  const run = (await part('runner').apply(undefined, [main.derefInto(), name], {
    result: { reference: true },
  })) as ivm.Reference
  return {
    run: (shape, calls, params) => runIn(isolate, run, [shape, JSON.stringify(calls), params]),
    settle: (call, value, error) => settleIn(isolate, settle, [call, value, error]),
    dispose: () => disposeOf(isolate),
  }
}

/** What an isolate maps when it is made: the most of it is room that V8 keeps for machine code. */
let isolateBytes: number | undefined

function newIsolate(engine: typeof ivm): ivm.Isolate {
  const bytes = dataBytesOf('self')
  const isolate = new engine.Isolate({ memoryLimit: limits.isolateMegabytes })
  if (bytes !== undefined) isolateBytes ??= dataBytesOf('self')! - bytes
  return isolate
}

/** Turns of the loop: an isolate that is stuck in its engine never goes, and is not waited for any longer. */
const mostTurns = 10_000

/**
 * An isolate goes when its thread lets go of it, which is a little later. The next one waits for that: the kernel allows a
 * child the room of one isolate, and refuses that of two.
 */
async function disposeOf(isolate: ivm.Isolate) {
  const bytes = dataBytesOf('self')
  if (!isolate.isDisposed) isolate.dispose()
  if (bytes === undefined || isolateBytes === undefined) return
  const goneBytes = bytes - isolateBytes * 0.75
  for (let turn = 0; turn < mostTurns && dataBytesOf('self')! > goneBytes; turn++)
    await new Promise((resolve) => setImmediate(resolve))
}

export type Failed = Exclude<Ended, { result: string }>

async function evaluate(
  isolate: ivm.Isolate,
  context: ivm.Context,
  { text, columnOffset }: CodeSource,
): Promise<ivm.Reference | Failed> {
  try {
    const script = await isolate.compileScript(text, { filename: codeFile, columnOffset })
    return (await script.run(context, { timeout: limits.softCpuMs, reference: true })) as ivm.Reference
  } catch (error) {
    return failed(isolate, error)
  }
}

async function runIn(isolate: ivm.Isolate, run: ivm.Reference, args: string[]): Promise<Ended> {
  try {
    const ended = await run.apply(undefined, args, { timeout: limits.softCpuMs, result: { promise: true } })
    return JSON.parse(`${ended}`) as Ended
  } catch (error) {
    return failed(isolate, error)
  }
}

async function settleIn(isolate: ivm.Isolate, settle: ivm.Reference, args: unknown[]): Promise<Failed | undefined> {
  try {
    await settle.apply(undefined, args, { timeout: limits.softCpuMs })
    return undefined
  } catch (error) {
    return failed(isolate, error)
  }
}

/** The engine tells a breach by its words alone. */
function failed(isolate: ivm.Isolate, error: unknown): Failed {
  const { name, message, stack } = (error instanceof Error ? error : new Error(String(error))) as Error
  if (message.includes('Script execution timed out')) return { breach: 'cpu' }
  if (isolate.isDisposed || message.includes('Isolate was disposed')) return { breach: 'memory' }
  return { error: { name: `${name}`, message: `${message}`, stack: `${stack}` } }
}
