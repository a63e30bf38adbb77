import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table, withSection } from './faultTable.ts'

/**
 * Runs the fault suite for one machine, or with `--cluster` for several: once, or with `--long` repeatedly with new seeds
 * for `--minutes` (60). Words choose files as in `npm test`; `--seed` repeats a run; `--times` is the number of times that
 * each cluster fault happens in a pass. The result of each fault is added to `--summary`, a file outside the repository: a
 * long run that was stopped continues, and the table at the end covers all of it. `--retry` makes a second pass if the first
 * one failed although nothing was lost and nothing arrived unsent, so that a briefly busy machine fails no run. `--page`
 * writes the table into docs/fault-runs.md.
 */
const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cluster: { type: 'boolean', default: false },
    times: { type: 'string' },
    long: { type: 'boolean', default: false },
    retry: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: `${Date.now() % 2 ** 31}` },
    summary: { type: 'string' },
    page: { type: 'boolean', default: false },
  },
})
const suite = values.cluster ? 'cluster' : 'fault'
const usualSummary = join(tmpdir(), values.long ? `aglet-${suite}-long.jsonl` : `aglet-${suite}-${process.pid}.jsonl`)
const summary = values.summary ?? usualSummary
const files = globSync(`test/${suite}/*.test.ts`, { cwd: root })
  .filter((file) => positionals.length === 0 || positionals.some((word) => file.includes(word)))
  .sort()
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** A cluster test repeats one fault, which takes up to a minute each time. */
const limitMs = values.cluster ? 600_000 + 60_000 * Number(values.times ?? 0) : 600_000

/** One pass over all faults; returns whether all held. Files run in sequence, because each needs the whole machine. */
function pass(seed: number): Promise<boolean> {
  say(`SEED=${seed}`)
  const flags = ['--test', '--test-reporter=spec', `--test-timeout=${limitMs}`, '--test-concurrency=1']
  const environment = {
    SEED: `${seed}`,
    FAULT_SUMMARY: summary,
    ...(values.times && { FAULT_TIMES: values.times }),
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

/** The total time of the recorded passes. */
const minutesDone = () => rows().reduce((sum, { fault, minutes = 0 }) => sum + (fault === 'pass' ? minutes : 0), 0)

async function timedPass(seed: number): Promise<boolean> {
  const begun = performance.now()
  const holds = await pass(seed)
  const minutes = (performance.now() - begun) / 60_000
  appendFileSync(summary, `${JSON.stringify({ fault: 'pass', seed, minutes, holds })}\n`)
  return holds
}

/** Whether a recorded fault broke the promise. The negative controls must break it. */
const isPromiseBroken = () =>
  rows().some(({ fault, lost = 0, phantom = 0 }) => !fault.includes('(control)') && lost + phantom > 0)

/** Writes the table to the page of the runs, with the commit, the day and the machine. */
function writePage(): void {
  const page = join(root, 'docs/fault-runs.md')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const day = new Date().toISOString().slice(0, 10)
  const about = `Commit ${commit}, ${day}, on ${availableParallelism()} processors, Node ${process.versions.node}.`
  const heading = values.cluster ? 'Many machines' : 'One machine'
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), heading, `${about}\n\n${table(rows())}`))
}

let seed = Number(values.seed)
let holds = await timedPass(seed)
if (!holds && values.retry && !isPromiseBroken()) {
  say('\nFAILED, and run once more: nothing was lost')
  holds = await timedPass(++seed)
}
while (holds && values.long && minutesDone() < Number(values.minutes)) holds = await timedPass(++seed)
say(`${table(rows())}\n${summary}`)
if (values.page) writePage()
process.exitCode = holds ? 0 : 1
