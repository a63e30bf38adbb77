import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Runs the suites with the spec reporter: `npm test`, `npm test -- --test-name-pattern=cookie`, `npm test -- src/edge`.
 * Words that are no flags choose the files whose path holds one of them. `--all` (`npm run test:all`) adds the slow files
 * and tries every property with its full number of cases. Suites that kill, install or need root have commands of their own.
 * `--retry` runs the processes that failed once more, alone, and names them: a machine that was busy for a moment fails no
 * run of thousands of tests, and an unstable test is still seen. `--times` lists what each process cost, with those that it
 * started: seconds of a core, and seconds on the clock.
 */
const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache/aglet')
const heavy = /^test\/(clients|cluster|dashboard|fault|hostile|oracle|sandbox|ship|shops|walk)\//
/**
 * Files that start browsers, compilers, database servers or many programs: some minutes of two cores, in `npm run test:all`
 * alone.
 */
const slow =
  /\/postgres\/|^src\/(postgresAdapters|runtime\/sharedRootKey|cli\/operator\/moveBackup)\.|^test\/(browser\/|ssrf\/rebinding|edge\/(raw|proxies|shopPath)|(backup|clientPackage|cluster|completion|composeManyDatabase|hostile|lateStart|newProvider|roleModules|rotation|scopeLaw|setup|shards|start|upgrade)\.test\.ts)/
/** What acts on the clock of its process, or on its modules. */
const wantsOwnProcess = /\bmock\./

const words = process.argv.slice(2)
const isFullRun = words.includes('--all')
const mayRetry = words.includes('--retry')
const showsTimes = words.includes('--times')
const own = ['--all', '--retry', '--times']
const flags = words.filter((word) => word.startsWith('-') && !own.includes(word))
const wanted = words.filter((word) => !word.startsWith('-'))
const isChosenByName = flags.some((flag) => /^--test-(name|skip)-pattern|^--test-only/.test(flag))
// packages bring tests of their own
const exclude = (path: string) => /(^|\/)node_modules$/.test(path)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root, exclude })
  .filter((file) =>
    wanted.length > 0
      ? wanted.some((word) => file.includes(word))
      : !heavy.test(file) && (isFullRun || !slow.test(file)),
  )
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file has ${wanted.join(' or ')} in its path.\n`)
  process.exit(2)
}

/** The folders of `src/` whose tests last long enough for a process of their own. */
const longFolders = new Set(
  'account browser cli control delivery http kit provider providers sandbox script store stream'.split(' '),
)

/** Files of `test/` that start no server: those that load the same modules, and those that read the files of the repository. */
const shared: readonly (readonly [name: string, files: RegExp])[] = [
  ['test/vendors', /^test\/vendors\b/],
  ['test/control', /^test\/(cli|client|contract|importPlan|negative)\./],
  [
    'test/files',
    /^test\/(bench|buildPackages|changelog|compose(Many)?|docImages|docs|exports|manual|names|ownPart|regexes|shopifyPixel|turns|vocabulary|walls|workflows)\./,
  ],
]

/** The name of the process that a file is run in: where it can be shared, that of its folder in `src/`, or of the short ones. */
function processOf(file: string): string {
  const [top, folder = ''] = file.split('/')
  const ownName = file.replace(/\.test\.ts$/, '')
  if (wantsOwnProcess.test(readFileSync(join(root, file), 'utf8'))) return ownName
  if (top !== 'src') return shared.find(([, files]) => files.test(file))?.[0] ?? ownName
  if (longFolders.has(folder)) return `${top}/${folder}`
  return slow.test(file) ? `${top}/slow` : `${top}/others`
}

/**
 * A test that hangs ends after this, its whole process after the other: the runner's own limit does not end one. Both are
 * far above what any needs, so that a busy machine reaches neither.
 */
const askedLimit = flags.find((flag) => flag.startsWith('--test-timeout='))?.split('=')[1]
const testLimitMs = Number(askedLimit ?? 300_000)
const processLimitMs = 2 * testLimitMs

/** Ends the process that this runs in: cleanly while its loop turns, else by a thread that looks on. */
const limit = (name: string) => `import { Worker } from 'node:worker_threads'
setTimeout(() => {
  console.error(${JSON.stringify(`${name} did not end within ${processLimitMs / 1_000} s.`)})
  process.exit(1)
}, ${processLimitMs}).unref()
new Worker('setTimeout(() => process.kill(process.pid, "SIGKILL"), ${processLimitMs + 10_000})', { eval: true }).unref()
`

/**
 * A module that runs these files one after the other. Each is loaded by a test of its own, whose subtests are its tests: what
 * it opens is open only while it runs, and its hooks act on its tests alone. No test of a file begins before the file is
 * loaded, else the runner could take all of them for over. Where the runner chooses tests by name it would leave out those
 * tests of files, so that all files are loaded first. A file that cannot be loaded fails, and the others run all the same. The
 * file `mark` is left behind unless all tests passed.
 */
const together = (
  paths: readonly string[],
  mark: string,
  times: string,
) => `${fewerCases(paths)}import ${fakeUrl('madeKeys')}
import ${fakeUrl('builtThreads')}
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { before, test } from 'node:test'
process.on('exit', () => {
  process.exitCode || rmSync(${JSON.stringify(mark)}, { force: true })
  writeFileSync(${JSON.stringify(times)}, String(performance.now() / 1_000) + ' ' + secondsOfCores())
})
/** Of this process and of those that it has waited for, which Linux counts in hundredths. */
function secondsOfCores() {
  const { user, system } = process.cpuUsage()
  let others = 0
  try {
    const [waitedUser, waitedSystem] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(13)
    others = (Number(waitedUser) + Number(waitedSystem)) / 100
  } catch {}
  return (user + system) / 1e6 + others
}
${isChosenByName || paths.length === 1 ? loadAll(paths) : loadEach(paths)}
`

const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(root, file)).href)

const loadEach = (paths: readonly string[]) => `
const load = (file, url) => test(file, { timeout: ${processLimitMs} }, async (context) => {
  const loaded = Promise.withResolvers()
  context.before(() => loaded.promise)
  await import(url).finally(loaded.resolve)
})
${paths.map((file) => `load(${JSON.stringify(file)}, ${urlOf(file)})`).join('\n')}`

const loadAll = (paths: readonly string[]) => `
const loaded = Promise.withResolvers()
before(() => loaded.promise)
const load = (file, url) => import(url).catch((problem) => void test(file + ' is loaded', () => { throw problem }))
${paths.map((file) => `await load(${JSON.stringify(file)}, ${urlOf(file)})`).join('\n')}
loaded.resolve()`

const fakeUrl = (name: string) => urlOf(`test/fake/${name}.ts`)

/** The number of cases of a property that sets none: fast-check's 100 only in a full run. */
const fewerCases = (paths: readonly string[]) =>
  !isFullRun && paths.some((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"))
    ? `import fc from ${JSON.stringify(pathToFileURL(join(root, 'node_modules/fast-check/lib/fast-check.js')).href)}
fc.configureGlobal({ numRuns: 20 })
`
    : ''

/** A folder for this run of the tests, gone when it ends. */
function makeFolder(): string {
  const folder = join(cache, 'tests', `${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What lasts longer than its own text tells: it starts many servers, or waits for them. */
const lasts =
  /^(src\/(account|slow|store)|test\/(start|shards|walkThrough|journey\/(alerts|erasure|webhook)|upgrade|backup|rotation|cluster|browser\/.*))$/

/** Writes a module for each process, and gives their paths. The runner takes them by name: those that last longest first. */
function writeProcesses(folder: string): string[] {
  const bytes = (path: string) => statSync(join(root, path)).size
  const lasting = ([name, paths]: [string, string[]]) =>
    paths.reduce((sum, path) => sum + bytes(path), lasts.test(name) ? 200_000 : 0)
  return [...Map.groupBy(files, processOf)]
    .sort((one, other) => lasting(other) - lasting(one))
    .map(([name, paths], at) => {
      const path = join(folder, `${`${at}`.padStart(3, '0')} ${name.replaceAll('/', ' ')}.mjs`)
      writeFileSync(path, limit(name) + together(paths, markOf(path), timesOf(path)))
      writeFileSync(markOf(path), '')
      return path
    })
}

/** A file that is there while the process has not passed. */
const markOf = (path: string) => `${path}.failed`

/** What a process cost. */
const timesOf = (path: string) => `${path}.times`

/** Databases that a test makes are gone with it: memory spares waiting for a disk. */
function temporary(): { TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 31 ? { TMPDIR: '/dev/shm' } : {}
  } catch {
    return {}
  }
}

// One process more than there are cores, because many wait for the servers that they start; types are stripped once for all.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`
const folder = makeFolder()
const all = isFullRun && { TESTS: 'all' }
let running: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal))

/** Runs these modules, each in a process of its own. Resolves with the exit code. */
async function run(modules: readonly string[]): Promise<number> {
  const options = ['--test', '--test-reporter=spec', `--test-timeout=${testLimitMs}`, concurrency, ...flags]
  running = spawn(process.execPath, [...options, ...modules], {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: cache, ...temporary(), ...process.env, TESTS_FOLDER: folder, ...all },
  })
  const [code, signal] = (await once(running, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal === 'SIGINT' || signal === 'SIGTERM' ? 130 : (code ?? 1)
}

/** The costliest process first, and the sums. */
function printTimes(modules: readonly string[]): void {
  const rows = modules
    .filter((path) => existsSync(timesOf(path)))
    .map((path) => [basename(path, '.mjs'), ...readFileSync(timesOf(path), 'utf8').split(' ').map(Number)] as const)
    .sort(([, , one = 0], [, , other = 0]) => other - one)
  const row = (name: string, cores: number, clock: number) => `${cores.toFixed(1)} s  ${clock.toFixed(1)} s  ${name}\n`
  const sum = rows.reduce((all, [, , cores = 0]) => all + cores, 0)
  process.stderr.write('\nof a core, on the clock, process\n')
  for (const [name, clock = 0, cores = 0] of rows) process.stderr.write(row(name, cores, clock))
  process.stderr.write(row('all', sum, performance.now() / 1_000))
}

/** More failed processes than this are no moment of a busy machine. */
const mostRetried = 5

await import('./bundle.ts') // builds what the tests start and what browsers load, once for all processes
const modules = writeProcesses(folder)
process.exitCode = await run(modules)
if (showsTimes) printTimes(modules)
const failed = modules.filter((path) => existsSync(markOf(path)))
if (mayRetry && process.exitCode === 1 && failed.length > 0 && failed.length <= mostRetried) {
  const names = failed.map((path) => basename(path, '.mjs')).join(', ')
  process.stderr.write(`\nFAILED, and run once more: ${names}\n\n`)
  process.exitCode = await run(failed)
  if (process.exitCode === 0) process.stderr.write(`\nUNSTABLE: passed at the second run only: ${names}\n`)
}
