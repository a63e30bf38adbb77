import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Compares our requests with those of the vendors' own SDKs, and sends AWS requests to a fake of AWS: `npm run test:oracle`.
 * The first run installs the SDKs from test/oracle/sdks and the fake from test/oracle/moto; Maven builds the Java decoders of
 * consent strings. Tests of missing ones are skipped and say so; with NEEDS_SDKS they fail. Arguments are those of
 * `npm test`.
 */
const root = join(import.meta.dirname, '..')
const sdks = join(root, 'test/oracle/sdks')
const moto = join(root, 'test/oracle/moto')

const run = (program: string, words: readonly string[], cwd: string) =>
  spawnSync(program, words, { cwd, stdio: ['ignore', 2, 2] }).status === 0

const { dependencies } = JSON.parse(readFileSync(join(sdks, 'package.json'), 'utf8')) as { dependencies: object }
if (Object.keys(dependencies).some((name) => !existsSync(join(sdks, 'node_modules', name)))) {
  process.stderr.write('Installing the SDKs of the vendors into test/oracle/sdks (once).\n')
  // not `npm ci`: it refuses a lock file without the optional packages of other platforms, which a registry may lack
  run('npm', ['install', '--ignore-scripts', '--no-save'], sdks)
}
if (!existsSync(join(moto, 'venv/bin/moto_server'))) {
  process.stderr.write('Installing Moto into test/oracle/moto/venv (once).\n')
  if (run('python3', ['-m', 'venv', 'venv'], moto))
    run('venv/bin/pip', ['install', '--quiet', '-r', 'requirements.txt'], moto)
}
const iab = join(root, 'node_modules/.cache/aglet/oracle-iab')
if (!existsSync(join(iab, 'lib'))) {
  process.stderr.write(
    'Building the decoders of consent strings in Java into node_modules/.cache/aglet/oracle-iab (once).\n',
  )
  const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${join(iab, 'lib')}`]
  if (!run('mvn', ['-q', '-B', '-f', 'pom.xml', `-Dtarget=${iab}`, ...goals], join(root, 'test/oracle/iab')))
    process.stderr.write('NOT RUN: the decoders of consent strings in Java, which need Java 17 or newer and Maven.\n')
}
const words = process.argv.slice(2)
const tests = [join(root, 'scripts/test.ts'), 'test/oracle/', ...words]
const { status } = spawnSync(process.execPath, tests, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
