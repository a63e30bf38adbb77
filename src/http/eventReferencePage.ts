import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { eventReference, type ReferenceSection } from '#event/reference/eventReference.ts'
import type { EventExample } from '#event/reference/examples.ts'
import { escapeHtml, sharedStyle } from './statusPage.ts'

const style = `${sharedStyle}
nav { margin-bottom: 1.5rem } nav a { margin-right: 1rem } h3 { margin: 1.5rem 0 0.5rem; font-size: 1rem }
.table { overflow-x: auto } table { border-collapse: collapse; margin: 0.75rem 0; font-size: 0.9375rem }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem }
`
const styleHash = createHash('sha256').update(style).digest('base64')
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Text whose code stands between backticks. */
const inline = (text: string) =>
  text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('')

const row = (cells: readonly string[], tag: 'th' | 'td') =>
  `<tr>${cells.map((each) => `<${tag}>${inline(each)}</${tag}>`).join('')}</tr>`
const tableOf = ({ head, rows }: NonNullable<ReferenceSection['table']>) =>
  `<div class="table"><table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table></div>`
const json = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`

function exampleOf({ title, headers = {}, body, status, answer }: EventExample): string {
  const given = Object.entries(headers).map(
    ([name, value]) => `<p>With <code>${escapeHtml(`${name}: ${value}`)}</code>:</p>`,
  )
  return `<h3>${inline(title)}</h3>${given.join('')}${json(body)}<p>Answer ${status}:</p>${json(answer)}`
}

const sectionOf = ({ title, texts = [], table, examples = [] }: ReferenceSection) =>
  `<h2>${inline(title)}</h2>${texts.map((text) => `<p>${inline(text)}</p>`).join('')}${table ? tableOf(table) : ''}${examples.map(exampleOf).join('')}`

/** The reference of the event endpoint as a page without scripts. */
export const eventReferenceHtml = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Aglet events</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<nav><a href="/">Aglet</a> <a href="/docs">API</a></nav>
<h1>Events</h1>
${eventReference.map(sectionOf).join('\n')}
</main>
</body>
</html>
`

/** `/docs/events`: what docs/events.md has. */
export function eventReferencePage(app: FastifyInstance): void {
  let page: string | undefined
  app.get('/docs/events', async (_request, reply) => {
    page ??= eventReferenceHtml()
    return reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page)
  })
}
