import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Fault } from '#contract/fault.ts'
import { ImportError } from '#import/importResult.ts'
import { openCoverage } from './coverage.ts'
import { mutate, seededRandom } from './mutate.ts'
import { type FuzzTarget, targets } from './targets.ts'

/**
 * Runs every parser of untrusted bytes with mutated inputs, and keeps those that reach new parts of the sources: `npm run
 * fuzz -- --seconds 600`. It starts with the inputs of test/fuzz, which the tests also run. `--keep` adds new inputs there.
 * An exception that is not a refusal, or a call of over two seconds, fails the run and is also written there.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    only: { type: 'string' },
    seed: { type: 'string', default: `${Date.now() % 1e9}` },
    keep: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '../..')
const inputsPerRound = 1_000
/** Keeps the folder small: the maximum size of an input, and the maximum number of inputs per target. */
const most = { bytes: 2_048, files: 40 }
const slowMs = 2_000

const folderOf = ({ name }: FuzzTarget) => join(root, 'test/fuzz', name.replaceAll(' ', '-'))
const inputsOf = (target: FuzzTarget) =>
  globSync('*', { cwd: folderOf(target) })
    .sort()
    .map((file) => readFileSync(join(folderOf(target), file)))

function keep(target: FuzzTarget, input: Buffer, kind: 'input' | 'failure'): string {
  const folder = folderOf(target)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`)
  writeFileSync(file, input)
  return file
}

/** Why the target failed with an input; undefined if it parsed or refused it in time. */
function failureOf(target: FuzzTarget, input: Buffer): string | undefined {
  const begun = performance.now()
  try {
    target.read(input)
  } catch (error) {
    if (!(error instanceof Fault || error instanceof ImportError)) return `${(error as Error).stack}`
  }
  const ms = performance.now() - begun
  return ms > slowMs ? `it took ${Math.round(ms)} ms` : undefined
}

const isOurs = (url: string) => url.startsWith(`file://${root}/src/`)
const random = seededRandom(Number(values.seed))
const coverage = openCoverage(isOurs)
const pick = <Some>(some: readonly Some[]): Some => some[Math.floor(random() * some.length)]!

/** The inputs that reach new parts, found by bisection. Those parts then count as reached. */
function reachingNew(inputs: readonly Buffer[], reached: Set<string>, read: (input: Buffer) => void): Buffer[] {
  const parts = coverage.partsOf(() => inputs.forEach(read))
  if ([...parts].every((part) => reached.has(part))) return []
  if (inputs.length > 1) {
    const middle = Math.ceil(inputs.length / 2)
    return [inputs.slice(0, middle), inputs.slice(middle)].flatMap((half) => reachingNew(half, reached, read))
  }
  for (const part of parts) reached.add(part)
  return [...inputs]
}

/** Fuzzes one target until a time. Returns the failures. */
function fuzz(target: FuzzTarget, until: number): string[] {
  const failures = new Map<string, string>()
  const read = (input: Buffer) => {
    const failure = failureOf(target, input)
    if (failure) failures.set(keep(target, input, 'failure'), failure)
  }
  const corpus: Buffer[] = inputsOf(target)
  const known = corpus.length
  const reached = new Set<string>()
  reachingNew(corpus, reached, read)
  let count = 0
  while (performance.now() < until && failures.size === 0) {
    const inputs = Array.from({ length: inputsPerRound }, () => mutate(pick(corpus), random, pick(corpus)))
    count += inputs.length
    corpus.push(...reachingNew(inputs, reached, read).filter(({ length }) => length <= most.bytes))
  }
  if (values.keep) for (const input of corpus.slice(known, Math.max(most.files, known))) keep(target, input, 'input')
  process.stdout.write(`${target.name}: ${count} inputs, ${corpus.length - known} reach something new\n`)
  return [...failures].map(([file, failure]) => `${target.name}: ${file}\n${failure}`)
}

const chosen = targets.filter(({ name }) => !values.only || values.only.split(',').includes(name))
if (chosen.length === 0) {
  process.stderr.write(`No target is called ${values.only}: ${targets.map(({ name }) => name).join(', ')}.\n`)
  process.exit(2)
}
process.stdout.write(`Seed ${values.seed}.\n`)
const share = (Number(values.seconds) * 1_000) / chosen.length
const failed = chosen.flatMap((target) => fuzz(target, performance.now() + share))
if (failed.length > 0) {
  process.stderr.write(`\n${failed.join('\n\n')}\n`)
  process.exit(1)
}
