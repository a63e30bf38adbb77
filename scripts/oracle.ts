import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Compares our requests with those of the vendors' own SDKs: `npm run test:oracle`. The SDKs are packages of test/oracle/sdks/
 * alone and are installed there at the first run. Without them the tests are skipped and say so. Words are those of `npm test`.
 */
const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/oracle/sdks')

if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
  process.stderr.write('Installing the SDKs of the vendors into test/oracle/sdks (once).\n')
  // not `npm ci`: it refuses a lock file without the optional packages of other platforms, which a registry may lack
  spawnSync('npm', ['install', '--ignore-scripts', '--no-save'], { cwd: folder, stdio: ['ignore', 2, 2] })
}
const words = process.argv.slice(2)
const tests = [join(root, 'scripts/test.ts'), 'test/oracle/', ...words]
const { status } = spawnSync(process.execPath, tests, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
