/**
 * Builds what has changed since the last build: the server program into lib/, and into dist/ the browser SDK, the
 * dashboard, the manual and the viewer of /docs.
 * An SDK version is named after the package version and the hash of its content, so that it never changes. Versions of
 * earlier builds stay, for pages that request them.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, version as bundlerVersion } from 'esbuild'
import aglet from '../package.json' with { type: 'json' }
import { adapterNames } from '../src/contract/adapterNames.ts'
import { buildDashboard } from './dashboard.ts'
import { buildManual } from './manual.ts'
import { buildProgram } from './program.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'src/browser/window')
const dist = join(root, 'dist')
const index = join(dist, 'sdk/index.json')
const mostVersions = 5

type Index = { sources: string; versions: string[] }
/** Path below the version's folder → text */
type Files = Record<string, string>

const hashOf = (texts: readonly string[]) => {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}:${text}`)
  return hash.digest('hex').slice(0, 8)
}

const providers = globSync('*.ts', { cwd: join(folder, 'modules') })
  .map((file) => basename(file, '.ts'))
  .sort()

function sourcesHash(): string {
  const sources = globSync('src/browser/**/*.ts', { cwd: root }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  const files = [
    ...sources,
    ...globSync('src/contract/{adapterNames,productEvents}.ts', { cwd: root }),
    'scripts/bundle.ts',
  ].sort()
  return hashOf([
    bundlerVersion,
    aglet.version,
    ...files.flatMap((file) => [file, readFileSync(join(root, file), 'utf8')]),
  ])
}

/** A placeholder for the version, until everything is built and the version can be computed. */
const unnamed = '0.0.0-unnamed'

/** A placeholder that the edge replaces by the operator's brand; `aglet-capture` by the tag's setting. */
const unbranded = 'aglet-brand'

type Bundle = BuildOptions & { brand?: string; capture?: string; primary?: string; passEventId?: string }

async function bundled(bundle: Bundle): Promise<string> {
  const { brand = unbranded, capture = '', primary = '', passEventId = '', ...options } = bundle
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    target: 'es2022',
    format: 'iife',
    legalComments: 'none',
    define: {
      AGLET_VERSION: JSON.stringify(unnamed),
      AGLET_BRAND: JSON.stringify(brand),
      AGLET_CAPTURE: JSON.stringify(capture),
      AGLET_PRIMARY: JSON.stringify(primary),
      AGLET_PASS_EVENT_ID: JSON.stringify(passEventId),
    },
    ...options,
  })
  return outputFiles![0]!.text
}

/** A module registers itself with the SDK, which is loaded first. */
const moduleOf = (provider: string) =>
  bundled({
    stdin: {
      contents: `import module from './${provider}.ts'\naglet('module', '${provider}', module)`,
      resolveDir: join(folder, 'modules'),
    },
  })

const adapterFolder = join(root, 'src/browser/adapters')
const adapterBase = join(folder, 'adapterBase.ts')

/** A page loads the base before the adapters; a packaged adapter contains it, and uses one that is already there. */
const adapterOf = (name: string, format: 'iife' | 'esm') => {
  const base = format === 'esm' ? `import ${JSON.stringify(adapterBase)}\n` : ''
  const start = `globalThis.agletAddAdapter?.('${name}', adapter)`
  const contents = `${base}import adapter from './${name}.ts'\n${start}`
  return bundled({ stdin: { contents, resolveDir: adapterFolder }, format })
}

async function adapterFiles(): Promise<Files> {
  const base = await bundled({
    entryPoints: [adapterBase],
    primary: 'aglet-primary',
    passEventId: 'aglet-pass-event-id',
  })
  const texts = adapterNames.map(async (name) => [
    [`adapters/${name}.js`, await adapterOf(name, 'iife')],
    [`adapters/${name}.mjs`, await adapterOf(name, 'esm')],
  ])
  return { 'adapterBase.js': base, ...Object.fromEntries((await Promise.all(texts)).flat()) }
}

async function files(): Promise<Files> {
  const entryPoints = [join(folder, 'script.ts')]
  const core = await bundled({ entryPoints, capture: 'all' })
  const gated = await bundled({ entryPoints, capture: 'aglet-capture' })
  const previewEntry = [join(folder, 'preview.ts')]
  const preview = await bundled({ entryPoints: previewEntry, capture: 'aglet-capture' })
  const npm = await bundled({ entryPoints: [join(folder, 'module.ts')], format: 'esm', brand: 'service' })
  const modules = await Promise.all(
    providers.map(async (provider) => [`modules/${provider}.js`, await moduleOf(provider)] as const),
  )
  return {
    ...{ 'aglet.js': core, 'aglet.gated.js': gated, 'aglet.preview.js': preview, 'aglet.mjs': npm },
    ...Object.fromEntries(modules),
    ...(await adapterFiles()),
  }
}

/** Writes a file so that no reader sees a partial one. */
function put(path: string, text: string): void {
  const half = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(half, text)
  renameSync(half, path)
}

function readIndex(): Index {
  try {
    return JSON.parse(readFileSync(index, 'utf8')) as Index
  } catch {
    return { sources: '', versions: [] }
  }
}

/** Copies the viewer of /docs, which src/http serves, and its licence. */
function putViewer(): void {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'])
    put(join(dist, 'viewer', name), readFileSync(join(from, name), 'utf8'))
}

await buildProgram()
const sources = sourcesHash()
const before = readIndex()
const isThere = existsSync(join(dist, 'sdk', before.versions[0] ?? '', 'aglet.js'))
if (before.sources !== sources || !isThere) {
  process.stderr.write('Building the browser SDK.\n')
  const built = await files()
  const version = `${aglet.version}-h${hashOf(Object.values(built))}`
  for (const [path, text] of Object.entries(built))
    put(join(dist, 'sdk', version, path), text.replaceAll(unnamed, version))
  put(join(dist, 'browser.mjs'), built['aglet.mjs']!.replaceAll(unnamed, version))
  for (const name of adapterNames) put(join(dist, `adapters/${name}.mjs`), built[`adapters/${name}.mjs`]!)
  const versions = [version, ...before.versions.filter((each) => each !== version)]
  put(index, JSON.stringify({ sources, versions: versions.slice(0, mostVersions) } satisfies Index))
  for (const old of versions.slice(mostVersions)) rmSync(join(dist, 'sdk', old), { recursive: true, force: true })
}
putViewer()
buildManual()
await buildDashboard()
