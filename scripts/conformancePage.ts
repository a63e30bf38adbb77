import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { contactOracles } from '../test/oracle/contactOracles.ts'
import { crmOracles } from '../test/oracle/crmOracles.ts'
import { facebookOracles } from '../test/oracle/facebookOracle.ts'
import { oracles } from '../test/oracle/oracles.ts'
import { streamOracles } from '../test/oracle/streamOracles.ts'

const root = join(import.meta.dirname, '..')
const { dependencies } = JSON.parse(readFileSync(join(root, 'test/oracle/sdks/package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/** The vendors' own SDKs with which our requests are compared, by provider. */
function sdksByProvider(): Map<string, string[]> {
  const sdks = new Map<string, Set<string>>()
  for (const { id, sdk } of [...oracles, ...contactOracles, ...crmOracles, ...facebookOracles, ...streamOracles])
    sdks.set(id, (sdks.get(id) ?? new Set()).add(`${sdk} ${dependencies[sdk] ?? ''}`.trim()))
  return new Map([...sdks].map(([id, names]) => [id, [...names]]))
}

const codeLess = new Set(['validation'])

/** The checks of a provider's requests, besides its examples. */
function checkedAgainst(id: string, provider: Provider, sdks: readonly string[] | undefined): string {
  if (sdks) return sdks.map((name) => `\`${name}\``).join(', ')
  if (provider.host === 'customer' || codeLess.has(id))
    return 'no vendor: it calls the address or runs the code of the customer'
  return 'the documentation alone'
}

/** A page of the checks for each provider, for readers who decide whether to trust a channel. */
export function conformancePage(): string {
  const sdks = sdksByProvider()
  const all = Object.entries(providers as Readonly<Record<string, Provider>>)
  const rows = all.map(([id, provider]) => {
    const standIn = existsSync(join(root, `test/vendors/${id}.ts`)) ? 'yes' : '—'
    const cells = [
      `[${id}](${provider.docs})`,
      provider.stage,
      `${examplesOf(id).length}`,
      standIn,
      checkedAgainst(id, provider, sdks.get(id)),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const compared = all.filter(([id]) => sdks.has(id)).length
  return `# What each provider was checked against

For people who decide whether to trust a channel. After this page you know how each provider was checked.

Written by \`npm run docs\` from \`src/providers/\`, \`test/vendors/\` and \`test/oracle/\`.

- **stage**: \`draft\`: parts of the vendor's documentation were not public. \`beta\`: built and tested from the documentation.
  \`live\`: a person saw its events in the vendor's product. No provider is \`live\` yet.
- **examples**: requests that tests compare byte for byte; the form of each was taken from the vendor's documentation.
- **stand-in**: \`npm run vendors\` has a server that accepts and refuses requests as the documentation says.
- **checked against**: the vendor's own SDK, whose requests \`npm run test:oracle\` compares with ours at each run:
  ${compared} of ${all.length} providers. For the others there is no public SDK that sends such events from a server.

Nothing here replaces a test event in your own account: [the dashboard](dashboard.md) sends one and shows the answer.

| provider | stage | examples | stand-in | checked against |
|---|---|---:|---|---|
${rows.join('\n')}
`
}
