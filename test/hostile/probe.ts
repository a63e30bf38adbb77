import { rmSync } from 'node:fs'
import { IncomingMessage, Server } from 'node:http'
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a server. Measures how long its main thread is blocked, and records which request headers are read. It
 * answers each line on a socket with the measurements since the previous line.
 */
const path = process.env.LOOP_PROBE
/** The longest turn of the event loop: the elapsed time and the CPU time of the main thread. */
export type BlockedTime = { wallMs: number; cpuMs: number; headers: string[] }

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
    const longest = held
    held = { wallMs: 0, cpuMs: 0 }
    return longest
  }
}

/** The names of the request headers that are read from now on. */
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
      socket.write(`${JSON.stringify({ ...take(), headers: [...names] } satisfies BlockedTime)}\n`)
    })
    socket.on('error', () => {})
  })
    .listen(path)
    .unref()
}
