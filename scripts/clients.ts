import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildWithGo, buildWithMaven, installNpm, installPython } from './installers.ts'

/**
 * Tests a running server with third-party SDKs and tools: `npm run test:clients`. The first run installs them: npm packages
 * into test/clients/sdks/, Python packages into an environment below node_modules/.cache. `--all` adds what takes long: the
 * clients that Go and Maven build first, and more requests of schemathesis. Tests of a missing client are skipped and say
 * so; with NEEDS_CLIENTS they fail. Arguments are those of `npm test`.
 */
const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const cache = 'node_modules/.cache/aglet'

const compiled = () => [
  buildWithGo('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0', `${cache}/go`),
  buildWithMaven('test/clients/sdks/kotlin', `${cache}/clients-kotlin`),
]
await Promise.all([
  installNpm('test/clients/sdks'),
  // without its peers: React Native itself is large, and the test uses a stand-in
  installNpm('test/clients/sdks/reactNative', '--legacy-peer-deps'),
  installPython(`${cache}/clients-python`, 'test/clients/sdks/requirements.txt'),
  ...(words.includes('--all') ? compiled() : []),
])
const tests = [join(root, 'scripts/test.ts'), 'test/clients/', '--test-concurrency=2', ...words]
const { status } = spawnSync(process.execPath, tests, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
