import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the fast suites with the spec reporter: `npm test`, `npm test -- --test-name-pattern=cookie`,
 * `npm test -- src/edge`. Words that are no flags choose the files whose path holds one of them. Suites that kill, wait
 * or need root have commands of their own.
 */
const root = join(import.meta.dirname, '..')
const heavy = /^test\/(fault|sandbox)\//

const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('-'))
const wanted = words.filter((word) => !word.startsWith('-'))
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  .filter((file) => (wanted.length > 0 ? wanted.some((word) => file.includes(word)) : !heavy.test(file)))
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file has ${wanted.join(' or ')} in its path.\n`)
  process.exit(2)
}
// What hangs ends after two minutes. A file is a process of its own: two at a time also where there are few cores, for many of them wait for others, and
// the types stripped once for all of them.
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`
const run = spawn(
  process.execPath,
  ['--test', '--test-reporter=spec', '--test-timeout=120000', concurrency, ...flags, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/aglet'), ...process.env },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
run.on('exit', (code) => {
  process.exitCode = code ?? 1
})
