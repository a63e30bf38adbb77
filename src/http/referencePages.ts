import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { EnvironmentName } from '#contract/me.ts'
import { eventReference, type ReferenceSection } from '#event/reference/eventReference.ts'
import type { EventExample } from '#event/reference/examples.ts'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { packageFolder } from '#kit/ownFiles.ts'
import { manualFolder, manualPages } from './manualPages.ts'
import { frameStyle, hashSource, pageHtml, sendHtml, topBar } from './pageFrame.ts'
import { providerReferencePage } from './providerReferencePage.ts'
import { inlineHtml, referencePageHtml, referencePageRoute, tableHtml } from './referencePage.ts'

const json = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`

function exampleOf({ title, headers = {}, body, status, answer }: EventExample): string {
  const given = Object.entries(headers).map(
    ([name, value]) => `<p>With <code>${escapeHtml(`${name}: ${value}`)}</code>:</p>`,
  )
  return `<h3>${inlineHtml(title)}</h3>${given.join('')}${json(body)}<p>Answer ${status}:</p>${json(answer)}`
}

const sectionOf = ({ title, texts = [], table, examples = [] }: ReferenceSection) =>
  `<h2>${inlineHtml(title)}</h2>${texts.map((text) => `<p>${inlineHtml(text)}</p>`).join('')}${table ? tableHtml(table) : ''}${examples.map(exampleOf).join('')}`

/** The event endpoint reference as a page without scripts. */
const eventReferenceHtml = (): string =>
  referencePageHtml('Events', eventReference.map(sectionOf).join('\n'), '/docs/events')

/** `/docs/events`, with the content of docs/events.md. */
const eventReferencePage = (app: FastifyInstance): void => referencePageRoute(app, '/docs/events', eventReferenceHtml)

/** The API reference of one environment: the paths of its page and its OpenAPI document. */
export type ApiReference = { environment: EnvironmentName; path: string; document: string }

const dayS = 86_400

const style = `${frameStyle}
#reference { font-size: 16px; line-height: normal }
html.dark-mode, html.dark-mode .swagger-ui, html.dark-mode .swagger-ui .scheme-container { background: var(--ground) }
`

/** Runs in the page: renders the OpenAPI document, in the preferred colour scheme. */
const startScript = `
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

/** The page of one environment, with links to the others. */
const referenceHtml = (reference: ApiReference, all: readonly ApiReference[]): string =>
  pageHtml({
    title: `Aglet API, ${reference.environment}`,
    head: '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="/docs/viewer.css">\n',
    style,
    body: `${topBar(reference.path, [
      ...all
        .filter(({ path }) => path !== '/docs')
        .map(({ path, environment }) => [path, `API of the ${environment}`] as const),
      [reference.document, 'OpenAPI'],
    ])}
<main id="reference" data-document="${reference.document}"></main>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>`,
  })

/** Allows nothing from other origins and no inline script. The viewer's images are in its style sheet. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${hashSource(style)}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `scripts/bundle.ts` writes the files of the viewer there. */
const viewerFolder = join(packageFolder, 'dist/viewer')
const readViewerFile = (name: string) => readFile(join(viewerFolder, name), 'utf8')

type ViewerAsset = { path: string; type: string; read(): Promise<string> }
const assets: readonly ViewerAsset[] = [
  { path: '/docs/viewer.js', type: 'text/javascript', read: () => readViewerFile('swagger-ui-bundle.js') },
  { path: '/docs/viewer.css', type: 'text/css', read: () => readViewerFile('swagger-ui.css') },
  { path: '/docs/start.js', type: 'text/javascript', read: async () => startScript },
]

/** The route of a viewer file, which is read at its first request. */
function assetRoute(app: FastifyInstance, { path, type, read }: ViewerAsset): void {
  let text: Promise<string> | undefined
  app.get(path, async (_request, reply) => {
    text ??= read()
    return reply
      .type(`${type}; charset=utf-8`)
      .header('cache-control', `public, max-age=${dayS}`)
      .send(await text)
  })
}

/** The API reference of each environment, the event reference, the providers and the manual. They need no network. */
export function referencePages(app: FastifyInstance, all: readonly ApiReference[], manual = manualFolder): void {
  for (const asset of assets) assetRoute(app, asset)
  eventReferencePage(app)
  providerReferencePage(app)
  manualPages(app, manual)
  for (const reference of all) {
    const html = referenceHtml(reference, all)
    app.get(reference.path, async (_request, reply) => sendHtml(reply, referencePolicy, html))
  }
}
