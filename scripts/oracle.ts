import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildWithMaven, installNpm, installPython } from './installers.ts'

/**
 * Compares our requests with those of the vendors' own SDKs, and sends AWS requests to a fake of AWS: `npm run test:oracle`.
 * The first run installs the SDKs from test/oracle/sdks and the fake from test/oracle/moto; Maven builds the Java decoders of
 * consent strings. Tests of missing ones are skipped and say so; with NEEDS_SDKS they fail. Arguments are those of
 * `npm test`.
 */
const root = join(import.meta.dirname, '..')
await Promise.all([
  installNpm('test/oracle/sdks'),
  installPython('test/oracle/moto/venv', 'test/oracle/moto/requirements.txt'),
  buildWithMaven('test/oracle/iab', 'node_modules/.cache/aglet/oracle-iab'),
])
const words = process.argv.slice(2)
const tests = [join(root, 'scripts/test.ts'), 'test/oracle/', ...words]
const { status } = spawnSync(process.execPath, tests, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
