import { type ProviderReference, providerReference, providerTable, variableHeads } from '#manifest/providerReference.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const rows = (lines: readonly (readonly string[])[]) =>
  lines.map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n')
const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  `${rows([head])}\n|${head.map(() => '---|').join('')}\n${rows(lines)}`

/** The anchor of a heading in the page. */
const anchor = (label: string) =>
  label
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

const section = ({ id, label, stage, docs, dashboardUrl, facts, variables }: ProviderReference) => `## ${label}

\`${id}\` · ${stage} · [documentation](${docs})${dashboardUrl ? ` · [dashboard](${dashboardUrl})` : ''}

| | |
|---|---|
${rows(facts)}

${table(variableHeads, variables)}
`

/** The catalogue as a page: the data sent to each provider, the identity it needs, and its limits. */
export function providersPage(): string {
  const all = providers as Readonly<Record<string, Provider>>
  const { head, rows: lines } = providerTable(all)
  const linked = lines.map(([id = '', ...cells]) => [`[${id}](#${anchor(all[id]!.label)})`, ...cells])
  return `# Providers

For administrators who connect a channel. After this page you know each provider's variables, events and identity needs.

Written by \`npm run docs\` from \`src/providers/\`: ${lines.length} providers. A server shows the same page at \`/docs/providers\`.

An event is sent to a provider under the name after the arrow. An event that is not listed is not sent. A person's values are
normalised as the vendor requires, and hashed if the table names a hash. "Needs" lists the values that can identify the person:
without them the delivery is \`skipped: identityMissing\`. The consent category, the regions and the value mode of the script apply
to every provider.

## All of them

- Consent: the default category first, then those that a script may have instead.
- A customer: the vendor's field for the shop's own id (\`customerId\`). In a field for any stable id, such as \`external_id\` of
  advertisers, the id of the visitor replaces an unknown one.
- An e-mail: the vendor's field for it. An order with an e-mail and without a customer id is sent by it.
- A visitor: what identifies a person of whom neither is known. "Not sent": the delivery is \`skipped: identityMissing\`.
- Test mode: what the sandbox environment does. With \`simulated\`, the requests are built and not sent.

${table(head, linked)}

${Object.entries(all)
  .map(([id, provider]) => section(providerReference(id, provider)))
  .join('\n')}`
}
