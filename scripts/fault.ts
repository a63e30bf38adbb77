import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from './faultTable.ts'

/**
 * Runs the fault suite: once, or with `--long` again and again with new seeds for as many `--minutes` (60). Words choose files
 * as in `npm test`; `--seed` repeats a run. What each fault came to is added to `--summary`, a file outside of the
 * repository: a long run that is ended goes on where it was, and the table at the end tells of all of it.
 */
const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
    summary: { type: 'string' },
  },
})
const usualSummary = join(tmpdir(), values.long ? 'aglet-fault-long.jsonl' : `aglet-fault-${process.pid}.jsonl`)
const summary = values.summary ?? usualSummary
const files = globSync('test/fault/*.test.ts', { cwd: root })
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort()
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** One pass over all faults; gives whether all held. One file after the other: each wants the machine for itself. */
function pass(seed: number): Promise<boolean> {
  say(`SEED=${seed}`)
  const flags = ['--test', '--test-reporter=spec', '--test-timeout=600000', '--test-concurrency=1']
  const environment = {
    SEED: `${seed}`,
    FAULT_SUMMARY: summary,
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/aglet'),
  }
  const run = spawn(process.execPath, [...flags, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => run.kill(signal))
  return new Promise((resolve) => run.on('exit', (code) => resolve(code === 0)))
}

const rows = () =>
  existsSync(summary)
    ? readFileSync(summary, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : []

/** How long the passes that are on record took together. */
const minutesDone = () => rows().reduce((sum, { fault, minutes = 0 }) => sum + (fault === 'pass' ? minutes : 0), 0)

async function timedPass(seed: number): Promise<boolean> {
  const begun = performance.now()
  const holds = await pass(seed)
  const minutes = (performance.now() - begun) / 60_000
  appendFileSync(summary, `${JSON.stringify({ fault: 'pass', seed, minutes, holds })}\n`)
  return holds
}

let seed = Number(values.seed)
let holds = await timedPass(seed)
while (holds && values.long && minutesDone() < Number(values.minutes)) holds = await timedPass(++seed)
say('Not made on one machine, and not in this build: nodes of a JetStream cluster, PostgreSQL.')
say(`${table(rows())}\n${summary}`)
process.exitCode = holds ? 0 : 1
