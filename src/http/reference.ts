import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { EnvironmentName } from '#contract/me.ts'

/** The reference of one environment: its page and its OpenAPI document, both as paths of the origin. */
export type Reference = { environment: EnvironmentName; path: string; document: string }

const dayS = 86_400

const style = `
:root { color-scheme: light dark }
body { margin: 0 }
nav { display: flex; gap: 1.25rem; padding: 0.75rem 1.25rem; font: 15px/1.5 system-ui, sans-serif; border-bottom: 1px solid #8885 }
nav a { color: inherit } nav a[aria-current] { font-weight: 600; text-decoration: none }
html.dark-mode { background: #1c2022; color: #e4e6e6 }
`

/** Runs in the page: draws the document that the page names, in the light that its reader prefers. */
const start = `
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)
const element = document.getElementById('reference')
SwaggerUIBundle({
  domNode: element,
  url: element.dataset.document,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
})
`

const link = ({ environment, path }: Reference, shown: Reference) =>
  `<a href="${path}"${path === shown.path ? ' aria-current="page"' : ''}>${environment}</a>`

/** The page of one environment, with the way to the others. */
export const referenceHtml = (shown: Reference, all: readonly Reference[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Aglet API, ${shown.environment}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/viewer.css">
<style>${style}</style>
</head>
<body>
<nav><a href="/">Aglet</a> ${all.map((each) => link(each, shown)).join(' ')} <a href="${shown.document}">OpenAPI</a></nav>
<main id="reference" data-document="${shown.document}"></main>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const styleHash = createHash('sha256').update(style).digest('base64')
/** Nothing from elsewhere and no inline script. The viewer brings its pictures inside its style sheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${styleHash}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Where scripts/bundle.ts puts the viewer. */
const viewerFolder = join(import.meta.dirname, '../../dist/viewer')
const fileOf = (name: string) => readFile(join(viewerFolder, name), 'utf8')

type Asset = { path: string; type: string; read(): Promise<string> }
const assets: readonly Asset[] = [
  { path: '/docs/viewer.js', type: 'text/javascript', read: () => fileOf('swagger-ui-bundle.js') },
  { path: '/docs/viewer.css', type: 'text/css', read: () => fileOf('swagger-ui.css') },
  { path: '/docs/start.js', type: 'text/javascript', read: async () => start },
]

/** A file of the viewer, read when it is first asked for. */
function assetRoute(app: FastifyInstance, { path, type, read }: Asset): void {
  let text: Promise<string> | undefined
  app.get(path, async (_request, reply) => {
    text ??= read()
    return reply
      .type(`${type}; charset=utf-8`)
      .header('cache-control', `public, max-age=${dayS}`)
      .send(await text)
  })
}

/** The reference pages, a viewer over the OpenAPI document of each environment; they work without a network. */
export function referencePages(app: FastifyInstance, all: readonly Reference[]): void {
  for (const asset of assets) assetRoute(app, asset)
  for (const shown of all) {
    const html = referenceHtml(shown, all)
    app.get(shown.path, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html),
    )
  }
}
