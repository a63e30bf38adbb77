import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import aglet from '../../package.json' with { type: 'json' }
import { freePort } from '../fake/aglet.ts'
import { isFullRun } from '../fake/cases.ts'
import { deliverReadmeEvent, environment, root, run, sandboxState, start, stop, welcomeOf } from './firstEvent.ts'
import { makeNpmCache } from './npm.ts'
import { type Packed, packOnce } from './packed.ts'

/** Installs the tarball of `npm pack` from the registry on several versions of Node. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aglet-ship-')))
after(() => rmSync(folder, { recursive: true, force: true }))

const maxPackedBytes = 15 * 1024 * 1024
/** The oldest and the newest; a full run adds those between. */
const nodes = isFullRun ? ['20', '22', '24'] : ['20', '24']

let packed: Packed
let tarball: string
const npm = process.env.npm_execpath ?? 'npm'

/** An npx cache that is empty at first. */
const cache = join(folder, 'cache')
/** One version of Node, and an environment with this cache. */
const byNode = (version: string) => {
  const bin = join(folder, `node_modules/node-${version}/bin`)
  const env = {
    ...environment,
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
  }
  return { node: join(bin, 'node'), env }
}

before(async () => {
  await makeNpmCache(cache)
  const [made] = await Promise.all([packOnce(), installNodes()])
  packed = made.packed
  tarball = made.tarball
})

async function installNodes(): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}')
  const names = nodes.map((version) => `node-${version}@npm:node-${process.platform}-${process.arch}@${version}`)
  const words = ['install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', [...words, '--loglevel=error', '--cache', cache, ...names], { cwd: folder, env: environment })
}

test('the package has at most 15 MB and no sources or tests; only the program has source maps', () => {
  assert.ok(packed.size <= maxPackedBytes, `${packed.size} bytes`)
  const wanted =
    /^(lib|dist\/(sdk|viewer|dashboard|manual|client|types))\/|^dist\/(browser|adapters\/\w+)\.mjs$|^(scripts\/aglet\.sh|deploy\/aglet@?\.service)$|^[A-Z]+(\.md)?$|^package\.json$/
  const unwanted = /\.(test|suite|fixture)\.|(?<!\.d)\.tsx?$|^(?!lib\/).*\.map$/
  for (const { path } of packed.files) {
    assert.match(path, wanted)
    assert.doesNotMatch(path, unwanted)
  }
  const sdks = new Set(packed.files.map(({ path }) => /^dist\/sdk\/([^/]+)\//.exec(path)?.[1]).filter(Boolean))
  assert.equal(sdks.size, 1, 'one version of the SDK')
  assert.equal(packed.files.find(({ path }) => path === 'scripts/aglet.sh')!.mode & 0o111, 0o111)
})

for (const version of nodes)
  test(`npx aglet serve in an empty folder delivers the README’s first event on Node ${version}`, async () => {
    const { node, env } = byNode(version)
    assert.equal((await run(node, ['--version'])).stdout.slice(1, 3), version)
    const empty = join(folder, `empty-${version}`)
    mkdirSync(empty)
    const npx = [node, npm, 'exec', '--yes', '--loglevel=error', `--package=${tarball}`, '--', 'aglet']
    const answered = await run(npx[0]!, [...npx.slice(1), '--version'], { cwd: empty, env })
    assert.equal(answered.stdout.trim(), aglet.version)

    const started = start([...npx, 'serve', '--port', `${await freePort()}`], { cwd: empty, env })
    const welcome = await welcomeOf(started)
    await deliverReadmeEvent(welcome)
    assert.match(await sandboxState(welcome), /^ok: no files, no network/)
    for (const path of [
      '/docs',
      '/docs/viewer.js',
      '/docs/viewer.css',
      '/docs/manual',
      '/dashboard',
      `/t/${welcome.tagId}/load`,
    ])
      assert.equal((await fetch(welcome.origin + path)).status, 200, path)
    await stop(started)
  })

test('a project can import aglet/client and aglet/browser with their types', async () => {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"type": "module"}')
  const words = ['install', '--omit=optional', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', [...words, '--loglevel=error', '--cache', cache, tarball], { cwd: project, env: environment })
  const program = `
    import { client, sealEntry } from 'aglet/client'
    import { getUserId, tag } from 'aglet/browser'
    import 'aglet/adapters/dataLayer'
    console.log([client, sealEntry, getUserId, tag].map((each) => typeof each).join())`
  writeFileSync(join(project, 'use.mjs'), program)
  assert.equal(
    (await run(byNode('20').node, ['use.mjs'], { cwd: project })).stdout,
    'function,function,function,function\n',
  )

  const check = (lines: string) => {
    const imports = `import { client } from 'aglet/client'\nimport { tag } from 'aglet/browser'\nimport 'aglet/adapters/fbq'\n`
    writeFileSync(
      join(project, 'check.mts'),
      `${imports}export const api = client({ baseUrl: 'https://a.example/v1' })\n${lines}`,
    )
    const flags = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--types',
      '',
    ]
    return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags, 'check.mts'], {
      cwd: project,
    })
  }
  await check(`void tag('Purchase', { value: 1, currency: 'EUR' })\nvoid api.readMe()`)
  for (const wrong of [`void tag(1)`, `void api.readNothing()`])
    await assert.rejects(check(wrong), ({ stdout }) => /error TS/.test(stdout), wrong)
})
