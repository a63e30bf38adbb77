import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { hashSource, pageHtml, sendHtml, sharedStyle, topBar } from './pageFrame.ts'

/** The style of text with tables, code and pictures. */
export const textStyle = `
[role="search"] { margin: 1rem 0 0 } [role="search"] label { color: var(--soft) } input { height: 32px; padding: 0 10px; font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--line-strong); border-radius: 6px }
button { height: 32px; padding: 0 12px; font: inherit; font-size: 14px; font-weight: 500; color: inherit; background: var(--card); border: 1px solid var(--line-strong); border-radius: 6px; cursor: pointer }
h3 { margin: 1.5rem 0 0.5rem; font-size: 1rem }
.table { overflow-x: auto } table { border-collapse: collapse; margin: 0.75rem 0; font-size: 0.9375rem }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
ul { padding-left: 1.25rem } h2 code, h3 code { font-size: 1em } picture img { display: block; max-width: 100%; height: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: 8px }
pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; line-height: 20px }
`
const style = `${sharedStyle}${textStyle}`
/** Allows only its own style and pictures of this server. */
export const referencePagePolicy = `default-src 'none'; img-src 'self' data:; style-src ${hashSource(style)}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** Renders text between backticks as code. */
export const inlineHtml = (text: string) =>
  text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('')

const row = (cells: readonly string[], tag: 'th' | 'td') =>
  `<tr>${cells.map((each) => `<${tag}>${inlineHtml(each)}</${tag}>`).join('')}</tr>`
type Table = { head: readonly string[]; rows: readonly (readonly string[])[] }
export const tableHtml = ({ head, rows }: Table): string =>
  `<div class="table"><table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table></div>`

/** A reference page without scripts. `shown`: the bar's link to it. */
export const referencePageHtml = (title: string, body: string, shown = '/docs/manual'): string =>
  pageHtml({
    title: `Aglet ${escapeHtml(title.toLowerCase())}`,
    head: '<link rel="icon" href="data:,">\n',
    style,
    body: `${topBar(shown)}\n<main>\n<h1>${escapeHtml(title)}</h1>\n${body}\n</main>`,
  })

/** The route of a reference page, which is rendered at its first request. */
export function referencePageRoute(app: FastifyInstance, path: string, write: () => string): void {
  let page: string | undefined
  app.get(path, async (_request, reply) => {
    page ??= write()
    return sendHtml(reply, referencePagePolicy, page)
  })
}
