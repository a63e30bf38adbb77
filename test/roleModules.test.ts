import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort, until } from './fake/aglet.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from './fake/postgresServer.ts'

const root = join(import.meta.dirname, '..')
const manyMs = 120_000
const noteModules = pathToFileURL(join(import.meta.dirname, 'fake/noteModules.mjs')).href

describe('a process of one role', { skip: await skipWithoutPostgres() }, () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'aglet-modules-'))
  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The files of src/ and the packages that the main thread of a process of this role has loaded when ready. */
  async function modulesOf(role: string): Promise<string[]> {
    const file = join(folder, role)
    const port = await freePort()
    const words = ['serve', '--port', `${port}`, '--data', join(folder, `${role}-data`)]
    const child = spawn(process.execPath, ['--import', noteModules, join(root, 'src/main.ts'), ...words], {
      stdio: 'ignore',
      env: {
        ...process.env,
        MODULES_FILE: file,
        AGLET_DATABASE_URL: server.url,
        AGLET_SYNC_STANDBYS: '0',
        AGLET_ROOT_KEY: 'ab'.repeat(32),
        AGLET_ROLE: role,
      },
    })
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok ?? false
    await until(isReady, manyMs).finally(() => child.kill('SIGTERM'))
    await once(child, 'exit')
    const names = readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? /\/(src\/.+)$/.exec(url)?.[1] ?? [])
    return [...new Set(names)]
  }
  const found = (modules: readonly string[], pattern: RegExp) => modules.filter((each) => pattern.test(each))

  const webFramework = /^(fastify|@fastify\/.*|ajv|oidc-provider|yaml)$/
  const api =
    /^src\/(control|dashboard|http\/(accountRoutes|dashboard|fastifyApp|oauthRoutes|referencePages)|runtime\/serverRuntime)\b/
  const signIn = /^src\/account\/(oauth|password|person|signIn)/

  test('an edge loads neither the API and its pages, nor what delivers, nor an HTTP client', {
    timeout: manyMs,
  }, async () => {
    const modules = await modulesOf('edge')
    assert.ok(modules.includes('src/edge/router.ts') && modules.includes('pg'), 'it is what was asked for')
    for (const pattern of [webFramework, api, signIn]) assert.deepEqual(found(modules, pattern), [])
    assert.deepEqual(found(modules, /^(undici|libphonenumber-js|aws4)$/), [])
    assert.deepEqual(
      found(
        modules,
        /^src\/(alert|sandbox\/sandboxRun|delivery\/(worker|plan|lane)|provider\/engine\/(send|httpClient)\.ts|runtime\/(workerRole|firstRun))/,
      ),
      [],
    )
  })

  test('a worker loads neither the API and its pages, nor the edge', { timeout: manyMs }, async () => {
    const modules = await modulesOf('worker')
    assert.ok(modules.includes('src/delivery/worker.ts'), 'it is what was asked for')
    for (const pattern of [webFramework, api, signIn]) assert.deepEqual(found(modules, pattern), [])
    assert.deepEqual(found(modules, /^src\/(edge|browser|manifest|runtime\/(edgeRole|firstRun))/), [])
  })
})
