import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Aglet, makeCustomer, startAglet, stopAglet, until } from '../test/fake/aglet.ts'
import { cpuSeconds, load, median, residentMb, shopEvent } from './load.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '40000' },
    /** Instead of the ratios: so many events in, with the memory after each tenth. */
    memory: { type: 'string' },
  },
})

const pin = (core: number) => ['taskset', '-c', `${core}`]
const connections = 64
let made = 0
const single = () => JSON.stringify(shopEvent(`bench-${process.pid}-${made++}`))
const fifty = () => JSON.stringify(Array.from({ length: 50 }, () => shopEvent(`bench-${process.pid}-${made++}`)))

type Target = { name: string; url: string; pid: number }

async function startBare(port: number): Promise<Target & { stop(): void }> {
  const command = [...pin(0), process.execPath, join(import.meta.dirname, 'bare.ts'), `${port}`]
  const child = spawn(command[0]!, command.slice(1), { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}/`
  await until(async () => (await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined))?.ok ?? false)
  return { name: 'bare node:http', url, pid: child.pid!, stop: () => child.kill() }
}

/** A tag without scripts on a fresh data directory; then the server again with the one role that is measured. */
async function startIntake(role: string, port: number): Promise<Target & { aglet: Aglet }> {
  const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
  const first = await startAglet({ data, port })
  const { tagUrl } = await makeCustomer(first, 'bench')
  await stopAglet(first)
  const aglet = await startAglet({ data, port, flags: ['--role', role], wrap: pin(0) })
  return { name: `Aglet, role ${role}`, url: `${tagUrl}/tag`, pid: aglet.process.pid!, aglet }
}

/** Requests per CPU second of the target, all its threads counted. */
async function measure(target: Target, requests: number, body: () => string): Promise<number> {
  const before = cpuSeconds(target.pid)
  await load({ url: target.url, connections, requests, body })
  return requests / (cpuSeconds(target.pid) - before)
}

async function compare(targets: Target[], what: string, requests: number, body: () => string): Promise<void> {
  for (const target of targets) await measure(target, Math.ceil(requests / 4), body)
  const rates = targets.map(() => [] as number[])
  for (let round = 0; round < Number(flags.rounds); round++)
    for (const [n, target] of targets.entries()) rates[n]!.push(await measure(target, requests, body))
  const bare = median(rates[0]!)
  for (const [n, target] of targets.entries()) {
    const rate = median(rates[n]!)
    console.log(`${what} | ${target.name} | ${Math.round(rate)} requests per CPU second | ${(rate / bare).toFixed(2)}`)
  }
}

async function watchMemory(target: Target, events: number): Promise<void> {
  for (let tenth = 1; tenth <= 10; tenth++) {
    await load({ url: target.url, connections, requests: events / 10, body: single })
    console.log(`${(events / 10) * tenth} events | ${target.name} | ${Math.round(residentMb(target.pid))} MB resident`)
  }
}

const stop = async ({ aglet }: { aglet: Aglet }) => {
  await stopAglet(aglet)
  rmSync(aglet.data, { recursive: true, force: true })
}

if (flags.memory) {
  const all = await startIntake('all', 4_910)
  await watchMemory(all, Number(flags.memory))
  await stop(all)
} else {
  const bare = await startBare(4_911)
  const edge = await startIntake('edge', 4_912)
  const all = await startIntake('all', 4_913)
  await compare([bare, edge, all], '1 event of 1 KB', Number(flags.requests), single)
  await compare([bare, edge, all], '50 events', Math.ceil(Number(flags.requests) / 40), fifty)
  bare.stop()
  await stop(edge)
  await stop(all)
}
