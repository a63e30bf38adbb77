import { rmSync } from 'node:fs'
import { IncomingMessage, Server } from 'node:http'
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a server before its own program. Measures for how long its main thread is held, and notes which request headers
 * are read. Answers on a socket: each line that comes is answered by what was measured since the last.
 */
const path = process.env.LOOP_PROBE
/** What the main thread did between two turns of the loop: the time that passed, and what of it was its own. */
export type Held = { wallMs: number; cpuMs: number; headers: string[] }

const tickMs = 1

function watch() {
  let held = { wallMs: 0, cpuMs: 0 }
  let before = { at: performance.now(), cpu: process.threadCpuUsage() }
  const look = () => {
    const at = performance.now()
    const { user, system } = process.threadCpuUsage(before.cpu)
    const cpuMs = (user + system) / 1_000
    if (cpuMs > held.cpuMs) held = { wallMs: at - before.at - tickMs, cpuMs }
    before = { at, cpu: process.threadCpuUsage() }
  }
  setInterval(look, tickMs).unref()
  return () => {
    look()
    const told = held
    held = { wallMs: 0, cpuMs: 0 }
    return told
  }
}

/** The names of the headers that are read of requests, from here on. */
function noteHeaders(): Set<string> {
  const names = new Set<string>()
  const noted = (name: string | symbol) => typeof name === 'string' && names.add(name)
  const noting: ProxyHandler<object> = {
    get(headers, name) {
      noted(name)
      return Reflect.get(headers, name)
    },
    has(headers, name) {
      noted(name)
      return Reflect.has(headers, name)
    },
  }
  const emit = Server.prototype.emit as (this: Server, ...given: unknown[]) => boolean
  Server.prototype.emit = function (this: Server, ...given: unknown[]) {
    const [event, request] = given
    if (event === 'request' && request instanceof IncomingMessage)
      Object.defineProperty(request, 'headers', { value: new Proxy(request.headers, noting), writable: true })
    return emit.apply(this, given)
  }
  return names
}

if (isMainThread && path) {
  delete process.env.LOOP_PROBE
  delete process.env.NODE_OPTIONS
  const take = watch()
  const names = noteHeaders()
  rmSync(path, { force: true })
  createServer((socket) => {
    socket.unref().on('data', () => {
      socket.write(`${JSON.stringify({ ...take(), headers: [...names] } satisfies Held)}\n`)
    })
    socket.on('error', () => {})
  })
    .listen(path)
    .unref()
}
