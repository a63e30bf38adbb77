import type { FastifyInstance } from 'fastify'
import { eventReference, type ReferenceSection } from '#event/reference/eventReference.ts'
import type { EventExample } from '#event/reference/examples.ts'
import { inlineHtml, referencePageHtml, referencePageRoute, tableHtml } from './referencePage.ts'
import { escapeHtml } from './statusPage.ts'

const json = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, undefined, 2))}</code></pre>`

function exampleOf({ title, headers = {}, body, status, answer }: EventExample): string {
  const given = Object.entries(headers).map(
    ([name, value]) => `<p>With <code>${escapeHtml(`${name}: ${value}`)}</code>:</p>`,
  )
  return `<h3>${inlineHtml(title)}</h3>${given.join('')}${json(body)}<p>Answer ${status}:</p>${json(answer)}`
}

const sectionOf = ({ title, texts = [], table, examples = [] }: ReferenceSection) =>
  `<h2>${inlineHtml(title)}</h2>${texts.map((text) => `<p>${inlineHtml(text)}</p>`).join('')}${table ? tableHtml(table) : ''}${examples.map(exampleOf).join('')}`

/** The reference of the event endpoint as a page without scripts. */
const eventReferenceHtml = (): string =>
  referencePageHtml('Events', eventReference.map(sectionOf).join('\n'), '/docs/events')

/** `/docs/events`: what docs/events.md has. */
export const eventReferencePage = (app: FastifyInstance): void =>
  referencePageRoute(app, '/docs/events', eventReferenceHtml)
