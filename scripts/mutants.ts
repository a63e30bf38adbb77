import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Coverage, measure, ran } from './mutants/coverage.ts'
import { type Mutant, mutantsIn } from './mutants/mutantsIn.ts'

/**
 * Mutates one place of the code at a time, and reports how many mutants the tests detect: `npm run test:mutants --
 * src/limit`. It uses the tests of the folders, and of the files whose path contains the words of `--tests`. It runs each
 * file of tests once, and then, for each mutant, those that ran the mutated place. It tries `--most` mutants of each folder
 * (50), chosen by `--seed`: the same seed chooses the same ones while the code is unchanged. It fails below the share
 * `--least`, in per cent. A surviving mutant is code that none of these tests needs, or a change without effect.
 */
const root = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    least: { type: 'string', default: '0' },
    tests: { type: 'string', multiple: true, default: [] },
  },
})

const isSource = (file: string) => !/\.(test|suite|fixture|thread|d)\.ts$/.test(file)
const hooks = join(import.meta.dirname, 'mutants/useMutant.ts')
const reporter = join(import.meta.dirname, 'mutants/untilFailure.ts')

/** The same order for the same seed (mulberry32). */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

/** A file of tests, what it ran and how long that took. */
type Measured = { path: string; coverage: Coverage; ms: number }

/** Limits for one test, which may wait for ever, and for the process, which may run for ever. */
type Limits = { testMs: number; processMs: number }

/** Whether these tests pass, in one process, which ends at the first failure. One that reaches a limit has failed. */
async function passes(tests: readonly string[], limits: Limits, env: NodeJS.ProcessEnv): Promise<boolean> {
  const use = env.MUTANT ? ['--import', hooks] : []
  const options = ['--test', '--test-isolation=none', `--test-timeout=${limits.testMs}`, `--test-reporter=${reporter}`]
  const flags = [...options, ...use, ...tests]
  const child = spawn(process.execPath, flags, {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/aglet'), ...env },
  })
  const late = setTimeout(() => child.kill('SIGKILL'), limits.processMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(late)
  return code === 0
}

const unmutated: Limits = { testMs: 300_000, processMs: 600_000 }

/** Runs each file of tests once. One that fails without a mutant cannot detect any. */
async function measureTests(folder: string): Promise<Measured[]> {
  const all = globSync('{src,test}/**/*.test.ts', { cwd: root })
  const belongs = (path: string) => path.startsWith(`${folder}/`) || values.tests.some((word) => path.includes(word))
  const measured: Measured[] = []
  for (const path of all.filter(belongs).sort()) {
    const begun = performance.now()
    const coverage = await measure(root, (to) => passes([path], unmutated, { NODE_V8_COVERAGE: to }))
    if (coverage) measured.push({ path, coverage, ms: performance.now() - begun })
    else say(`  left out, because it fails without a mutant: ${path}`)
  }
  return measured
}

/** Whether the tests that ran the mutated place detect the mutant. The test beside the file comes first, then the quick ones. */
async function isKilled(mutant: Mutant & { file: string }, tests: readonly Measured[]): Promise<boolean> {
  const own = mutant.file.replace(/\.ts$/, '.test.ts')
  const order = ({ path, ms }: Measured) => (own.endsWith(path) ? 0 : ms)
  const runIt = tests.filter(({ coverage }) => ran(coverage, mutant.file, mutant.start))
  const [first, ...others] = runIt.toSorted((one, other) => order(one) - order(other))
  for (const group of [first ? [first] : [], others]) {
    if (group.length === 0) continue
    const times = group.map(({ ms }) => Math.ceil(ms))
    const limits = {
      testMs: 10_000 + 4 * Math.max(...times),
      processMs: 20_000 + 4 * times.reduce((sum, ms) => sum + ms, 0),
    }
    const paths = group.map(({ path }) => path)
    if (!(await passes(paths, limits, { MUTANT: JSON.stringify(mutant) }))) return true
  }
  return false
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Tries the mutants of a folder. Returns the share that the tests detect, in per cent. */
async function tryFolder(folder: string): Promise<number> {
  const tests = await measureTests(folder)
  if (tests.length === 0) throw new Error(`${folder}: no test to use`)
  const mutants = globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter(isSource)
    .sort()
    .flatMap((file) => {
      const path = join(root, file)
      return mutantsIn(path, readFileSync(path, 'utf8')).map((mutant) => ({ ...mutant, file: path }))
    })
  const tried = shuffled(mutants, Number(values.seed)).slice(0, Number(values.most))
  let killed = 0
  for (const mutant of tried) {
    if (await isKilled(mutant, tests)) killed++
    else {
      const line = readFileSync(mutant.file, 'utf8').slice(0, mutant.start).split('\n').length
      say(`  survived: ${mutant.file.slice(root.length + 1)}:${line} ${oneLine(mutant.was)} → ${oneLine(mutant.text)}`)
    }
  }
  const share = (100 * killed) / tried.length
  say(`${folder}: ${killed} of ${tried.length} mutants killed, ${share.toFixed(0)} % (of ${mutants.length} in all)`)
  return share
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 80)

if (positionals.length === 0) throw new Error('Name the folders: npm run test:mutants -- src/limit src/consent')
const shares: number[] = []
for (const folder of positionals) shares.push(await tryFolder(folder))
process.exitCode = shares.some((share) => share < Number(values.least)) ? 1 : 0
