import { globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { fault } from '#contract/fault.ts'
import { etagOf, matchesEtag } from '#kit/etag.ts'
import { packageFolder } from '#kit/ownFiles.ts'
import { requestLanguage } from './requestLanguage.ts'

/** The output folder of the dashboard's build. */
export const dashboardFolder = join(packageFolder, 'dist/dashboard')

type BuiltFile = { type: string; body: Buffer; gzip?: Buffer }

type BuiltPage = BuiltFile & { language: DashboardLanguage; etag: string }

/**
 * The built dashboard in memory: its page in each language, and its assets by name. A name contains the hash of its
 * asset.
 */
type DashboardBuild = { pages: readonly BuiltPage[]; assets: ReadonlyMap<string, BuiltFile> }

const textTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const binaryTypes: Record<string, string> = { '.woff2': 'font/woff2', '.png': 'image/png' }

/** Reads a file and its gzip copy from the build; text without a copy is compressed here. */
function readBuiltFile(path: string): BuiltFile {
  const body = readFileSync(path)
  const text = textTypes[extname(path)]
  if (text === undefined) return { type: binaryTypes[extname(path)] ?? 'application/octet-stream', body }
  const [copy] = globSync(`${path}.gz`)
  return { type: text, body, gzip: copy === undefined ? gzipSync(body, { level: 9 }) : readFileSync(copy) }
}

function readPage(folder: string, language: DashboardLanguage): BuiltPage {
  const page = readBuiltFile(join(folder, `index.${language}.html`))
  return { ...page, language, etag: etagOf(page.body) }
}

/** The build in a folder; undefined if there is none. */
export function readDashboard(folder: string): DashboardBuild | undefined {
  const languages = (Object.keys(dashboardLanguages) as DashboardLanguage[]).filter(
    (language) => globSync(`index.${language}.html`, { cwd: folder }).length > 0,
  )
  if (languages.length === 0) return undefined
  const names = globSync('*', { cwd: join(folder, 'assets') }).filter((name) => extname(name) !== '.gz')
  const assets = names.map((name) => [name, readBuiltFile(join(folder, 'assets', name))] as const)
  return { pages: languages.map((language) => readPage(folder, language)), assets: new Map(assets) }
}

const assetsPath = '/dashboard/assets/'

/**
 * Allows only scripts, styles and fonts of the build, and one Trusted Type: the address of a worker of the build. Sources
 * are listed by path, so that a customer's webhook answer on this origin cannot be a script of the page.
 */
const dashboardPolicy = (origin: string) =>
  [
    "default-src 'none'",
    ...['script-src', 'style-src', 'font-src'].map((kind) => `${kind} ${origin}${assetsPath}`),
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types aglet-worker',
  ].join('; ')

/** The Content-Security-Policy of the worker that reads uploaded files: it can load the build's scripts and call nothing else. */
const workerPolicy = (origin: string) => `default-src 'none'; script-src ${origin}${assetsPath}`

const notBuiltPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Aglet</title></head>
<body><main><h1>The dashboard is not built</h1>
<p>Build it with <code>npm run bundle</code> and start Aglet again.</p>
</main></body>
</html>
`

/** The page in the language that the person chose, else in the first available language of the browser. */
function pageFor(request: FastifyRequest, pages: readonly BuiltPage[]): BuiltPage {
  const language = requestLanguage(
    request.headers,
    pages.map((page) => page.language),
  )
  return pages.find((page) => page.language === language)!
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, gzip }: BuiltFile,
  vary = 'accept-encoding',
) {
  reply.type(type).header('vary', vary)
  const isGzip = gzip !== undefined && new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip'
  return isGzip ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(body)
}

/** The page for every path below `/dashboard`; its script reads the path. It contains no data. */
function pageRoutes(app: FastifyInstance, origin: string, build: DashboardBuild | undefined): void {
  const { host } = new URL(origin)
  const policy = dashboardPolicy(origin)
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    // Cookies and `Origin` belong to a host, so requests to other names of this machine are redirected to the origin.
    if (request.host !== host) return reply.redirect(origin + request.url, 303)
    if (!build)
      return reply.code(404).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(notBuiltPage)
    reply.header('content-security-policy', policy).header('referrer-policy', 'same-origin')
    const page = pageFor(request, build.pages)
    reply.header('cache-control', 'no-cache').header('etag', page.etag)
    if (matchesEtag(page.etag, request.headers['if-none-match'])) return reply.code(304).send()
    return sendFile(request, reply, page, 'accept-encoding, accept-language, cookie')
  }
  for (const path of ['/dashboard', '/sandbox/dashboard']) {
    app.get(path, sendPage)
    app.get(`${path}/*`, sendPage)
  }
}

/**
 * Serves the dashboard of both environments: its page, and its assets, whose names change with their content. Public.
 * Without a build, the page says how to build it.
 */
export function dashboardRoutes(app: FastifyInstance, origin: string, build: DashboardBuild | undefined): void {
  pageRoutes(app, origin, build)
  const policy = workerPolicy(origin)
  app.get(`${assetsPath}:name`, async (request, reply) => {
    const asset = build?.assets.get((request.params as { name: string }).name)
    if (!asset) throw fault('notFound')
    reply.header('cache-control', 'public, max-age=31536000, immutable').header('content-security-policy', policy)
    return sendFile(request, reply, asset)
  })
}
