import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, until } from '../test/fake/aglet.ts'
import { nginxPath, pinned, type pinnings } from './machine.ts'
import type { Kept } from './part.ts'

/**
 * A process that accepts events at an address, and their durability when it answers. `laterMs`: the time in which it ends its
 * work for an event after the event has arrived at the vendor.
 */
export type Target = { who: string; keeps: Kept; url: string; pid: number; laterMs?: number; stop(): Promise<void> }

/** Stops a process, and waits until it has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill()
  await gone
}

/** Starts a command on its cores. It ends with this process. */
function launch(command: readonly string[], to: keyof typeof pinnings): ChildProcess {
  const [program = '', ...words] = [...pinned(to), ...command]
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** Starts a command on its cores, and waits until its port answers. */
async function start(command: readonly string[], port: number, to: keyof typeof pinnings): Promise<ChildProcess> {
  const child = launch(command, to)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}`)
    return (await fetch(`http://127.0.0.1:${port}/count`).catch(() => undefined)) !== undefined
  })
  return child
}

const commandOf = (file: string, ...words: (string | number)[]) => [
  process.execPath,
  join(import.meta.dirname, file),
  ...words.map(String),
]

/** A program of bench/ with its port as the first argument. */
export async function startScript(
  of: Pick<Target, 'who' | 'keeps'> & { file: string; words?: readonly (string | number)[] },
): Promise<Target> {
  const { who, keeps, file, words = [] } = of
  const port = await freePort()
  const child = await start(commandOf(file, port, ...words), port, 'measured')
  return { who, keeps, url: `http://127.0.0.1:${port}/`, pid: child.pid!, stop: () => ended(child) }
}

/** A program of bench/ that makes load. */
export const startLoad = (file: string, words: readonly (string | number)[]): ChildProcess =>
  launch(commandOf(file, ...words), 'load')

export const startBare = () => startScript({ who: 'bare node:http', keeps: 'nothing', file: 'bare.ts' })

const nginxConf = (port: number) => `
daemon off; master_process off; pid nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi; keepalive_requests 100000000;
  server { listen 127.0.0.1:${port}; location / { return 204; } }
}`

/** An nginx that answers 204 to everything without reading it; undefined, with a message, if it is not installed. */
export async function startNginx(): Promise<Target | undefined> {
  const nginx = nginxPath()
  if (!nginx) {
    process.stderr.write('!! nginx is not installed: its rows are missing (apt-get install nginx-light).\n')
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'aglet-nginx-'))
  const port = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), nginxConf(port))
  const child = await start([nginx, '-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], port, 'measured')
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  return { who: 'nginx, return 204', keeps: 'nothing', url: `http://127.0.0.1:${port}/`, pid: child.pid!, stop }
}

export type Peer = Pick<Target, 'who' | 'keeps'> & { file: string; words?: readonly (string | number)[] }

/** A peer of bench/peers/; undefined, with a message, if its packages are not installed. */
export async function startPeer(peer: Peer): Promise<Target | undefined> {
  if (!existsSync(join(import.meta.dirname, 'peers/node_modules/.package-lock.json'))) {
    process.stderr.write(`!! The packages of bench/peers are not installed: the rows of ${peer.who} are missing.\n`)
    return undefined
  }
  return startScript({ ...peer, file: join('peers', peer.file) })
}

export const present = <Some>(all: readonly (Some | undefined)[]): Some[] =>
  all.filter((one): one is Some & {} => one !== undefined)

/** The delays of events at the vendor since the last call, by path, in ms. */
export type Told = Record<string, { count: number; p50: number; p99: number; max: number }>
export type Vendor = {
  url: string
  /** Requests since the start. */
  count(): Promise<number>
  told(): Promise<Told>
  /** The number of events since `told` was last called, by path. */
  came(): Promise<Record<string, number>>
  stop(): Promise<void>
}

/** The vendor of all products, beside the load. */
export async function startVendor(): Promise<Vendor> {
  const port = await freePort()
  const child = await start(commandOf('vendor.ts', port), port, 'load')
  const url = `http://127.0.0.1:${port}`
  const json = async <Answer>(path: string) => (await (await fetch(url + path)).json()) as Answer
  return {
    url,
    count: () => json('/count'),
    told: () => json('/told'),
    came: () => json('/came'),
    stop: () => ended(child),
  }
}

/** Passes on the started objects, and always stops all of them. */
export async function using<Some extends { stop(): Promise<void> }>(
  started: readonly Promise<Some | undefined>[],
  work: (targets: Some[]) => Promise<void>,
): Promise<void> {
  const settled = await Promise.allSettled(started)
  const targets = present(settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)))
  try {
    for (const one of settled) if (one.status === 'rejected') throw one.reason
    await work(targets)
  } finally {
    for (const target of targets) await target.stop()
  }
}
