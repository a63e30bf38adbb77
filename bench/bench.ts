/**
 * Measures Aglet beside other products on one machine, in one run: `npm run bench`, `npm run bench:quick`, or some parts:
 * `npm run bench -- --only intake,delivery`. Docs: docs/performance.md. A figure never makes it fail; a broken part does.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, machineLine, pinned } from './machine.ts'
import type { Part, Row, Scale } from './part.ts'
import { parts } from './parts.ts'
import { markdownTable, textTable } from './table.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    /** Rounds, and seconds of each: a row is measured for the product of the two. */
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    /** Maximum users, tags, waiting deliveries and events. */
    largest: { type: 'string', default: 'Infinity' },
    /** A row for every provider, not only for the slowest. */
    every: { type: 'boolean', default: false },
    /** Another checkout with its node_modules: its server is measured in turns with this one. */
    beside: { type: 'string' },
    json: { type: 'string' },
    markdown: { type: 'boolean', default: false },
  },
})

const isQuick = flags.quick
const scale: Scale = {
  rounds: Number(flags.rounds ?? (isQuick ? 2 : 4)),
  seconds: Number(flags.seconds ?? (isQuick ? 1 : 5)),
  // JSON has no infinity
  largest: Math.min(Number(flags.largest), Number.MAX_SAFE_INTEGER),
  isQuick,
  isEvery: flags.every,
  ...(flags.beside && { beside: resolve(flags.beside) }),
}

function chosen(): readonly Part[] {
  if (!flags.only) return isQuick ? parts.filter(({ inQuick }) => inQuick) : parts
  const names = flags.only.split(',')
  const unknown = names.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length === 0) return parts.filter(({ name }) => names.includes(name))
  process.stderr.write(`No part is called ${unknown.join(', ')}: ${parts.map(({ name }) => name).join(', ')}.\n`)
  return process.exit(2)
}

/** The peers have their own packages, which only the benchmark needs. */
function installPeers(): void {
  const folder = join(import.meta.dirname, 'peers')
  if (isQuick || existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  process.stderr.write('Installing what is measured beside Aglet into bench/peers (once).\n')
  spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 2, 2] })
}

/** Runs a part in a separate process beside the measured one: with a clean heap, on the cores of the load. */
async function runPart({ name, onAllCores }: Part): Promise<{ rows: Row[]; isWhole: boolean }> {
  const rows: Row[] = []
  const command = [process.execPath, join(import.meta.dirname, 'one.ts'), name, JSON.stringify(scale)]
  const words = onAllCores ? command : [...pinned('load'), ...command]
  const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.on('message', (row) => rows.push(row as Row))
  const [code] = await once(child, 'close')
  return { rows, isWhole: code === 0 }
}

const say = (text: string) => void process.stdout.write(`${text}\n`)
const show = flags.markdown ? markdownTable : textTable
const machine = describeMachine()
const begun = performance.now()
const results: { name: string; rows: Row[]; tookS: number }[] = []
installPeers()
say(`${machineLine(machine)}\n`)
for (const part of chosen()) {
  const from = performance.now()
  const { rows, isWhole } = await runPart(part)
  const tookS = Math.round((performance.now() - from) / 1_000)
  results.push({ name: part.name, rows, tookS })
  say(`${flags.markdown ? '### ' : '── '}${part.name} (${tookS} s)\n${part.says}\n\n${show(rows)}\n`)
  if (isWhole) continue
  process.stderr.write(`!! ${part.name} broke: what it says stands above.\n`)
  process.exitCode = 1
}
say(`${Math.round((performance.now() - begun) / 1_000)} s in all`)
if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ machine, scale, parts: results }, null, 2)}\n`)
