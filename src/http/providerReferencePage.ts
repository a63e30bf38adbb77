import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { type ProviderReference, providerReference, providerTable, variableHeads } from '#manifest/providerReference.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { inlineHtml, referencePageHtml, referencePageRoute, tableHtml } from './referencePage.ts'

const link = (url: string, text: string) => `<a href="${escapeHtml(url)}" rel="noreferrer">${text}</a>`

function sectionOf({ id, label, stage, docs, dashboardUrl, facts, variables }: ProviderReference): string {
  const links = [link(docs, 'documentation'), ...(dashboardUrl ? [link(dashboardUrl, 'dashboard')] : [])]
  const known = variables.length > 0 ? tableHtml({ head: variableHeads, rows: variables }) : ''
  return `<h2 id="${escapeHtml(id)}">${escapeHtml(label)}</h2>
<p>${[inlineHtml(`\`${id}\``), escapeHtml(stage), ...links].join(' · ')}</p>
${tableHtml({ head: ['', ''], rows: facts })}${known}`
}

/** A page of all providers, each with its id as the anchor. */
function providerReferenceHtml(): string {
  const all = providers as Readonly<Record<string, Provider>>
  const sections = Object.entries(all).map(([id, provider]) => sectionOf(providerReference(id, provider)))
  return referencePageHtml('Providers', [tableHtml(providerTable(all)), ...sections].join('\n'), '/docs/providers')
}

/** `/docs/providers`, with the content of docs/providers.md. */
export const providerReferencePage = (app: FastifyInstance): void =>
  referencePageRoute(app, '/docs/providers', providerReferenceHtml)
