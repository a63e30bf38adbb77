// Writes the generated pages of docs/; with --check it only reports whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FaultName, faults } from '#contract/fault.ts'
import { faultsOf, operationIds, operations } from '#contract/operations.ts'
import { architecturePage, differsInText } from './architecturePage.ts'
import { commandsPage } from './commandsPage.ts'
import { conformancePage } from './conformancePage.ts'
import { consentPage } from './consentPage.ts'
import { eventsPage } from './eventsPage.ts'
import { withCells } from './orderCells.ts'
import { providersPage } from './providersPage.ts'

/** The operations that may raise a fault, or their number if there are more than six. */
function raisedBy(name: FaultName): string {
  const ids = operationIds.filter((id) => faultsOf(operations[id]).includes(name))
  if (ids.length === 0) return 'the server or the edge'
  return ids.length > 6 ? `${ids.length} operations` : ids.map((id) => `\`${id}\``).join(', ')
}

function errorsPage(): string {
  const rows = Object.entries(faults)
    .sort(([, one], [, other]) => one.status - other.status || one.code.localeCompare(other.code, 'en'))
    .map(([name, { status, code, message }]) => {
      return `| ${status} | \`${code}\` | ${message} | ${raisedBy(name as FaultName)} |`
    })
  return `# Errors

For developers of clients. After this page you know each error code, its status, and what to do about it.

Written by \`npm run docs\` from \`src/contract/fault.ts\`.

Every refusal is JSON: \`{ message, statusCode, error, attributes? }\`.

- \`error\` is one of the codes below and does not change. The table is complete.
- \`message\` is for people and may change.
- \`attributes.issues\` lists \`{ path, message }\` for each error in a body or a query. An
  issue of code also has \`line\` and \`column\`.
- A write ignores a field that it does not have. Its response then has \`warnings\`, with the nearest name.
- A 401 has \`WWW-Authenticate: Bearer\`, a 405 \`Allow\`, a 429 and a 503 \`Retry-After\` in seconds.

\`fetch\` treats a 407 as the answer of a proxy and does not return it. So the typed client itself refuses a blank policy id.

| status | \`error\` | what it says | raised by |
|---|---|---|---|
${rows.join('\n')}
`
}

const pages: Record<string, () => string> = {
  'architecture.md': architecturePage,
  'commands.md': commandsPage,
  'conformance.md': conformancePage,
  'consent.md': consentPage,
  'errors.md': errorsPage,
  'events.md': eventsPage,
  'orders.md': () => withCells(readFileSync(join(import.meta.dirname, '../docs/orders.md'), 'utf8')),
  'providers.md': providersPage,
}

/** The figures of the architecture change with each commit, so only its text is compared. */
const isStale = (name: string, stored: string, written: string) =>
  name === 'architecture.md' ? differsInText(stored, written) : stored !== written

for (const [name, write] of Object.entries(pages)) {
  const file = join(import.meta.dirname, '../docs', name)
  if (!process.argv.includes('--check')) writeFileSync(file, write())
  else if (isStale(name, readFileSync(file, 'utf8'), write())) {
    console.error(`docs/${name} is stale: npm run docs`)
    process.exit(1)
  }
}
