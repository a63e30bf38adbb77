// npm run new-provider NAME: creates a provider file and its examples, and adds the id to the list. NAME is an id or a label: acmeAds, "Acme Ads". Its tests fail until the files are written. --print writes both to standard output instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../src/providers')
const idsFile = join(import.meta.dirname, '../src/contract/providerIds.ts')

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}

/** `acmeAds` → `ACME_ADS`, `Acme Ads` */
const words = (id: string) => id.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(' ')
const upper = (id: string) => words(id).join('_').toUpperCase()
const label = (id: string) =>
  words(id)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(' ')

/** A provider file that compiles. */
const template = (id: string) => `import { provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { password } from '#provider/form/variables.ts'

export default provider({
  label: '${label(id)}',
  stage: 'draft',
  consent: ['advertising'],
  docs: 'https://',
  host: 'fixed',

  secrets: {
    ${upper(id)}_API_KEY: password('API key', ''),
  },

  // our event name: the vendor's; list each event that the vendor has
  events: { Purchase: '' },
  user: { email: hashed('email'), ip: plain('ip') },
  personId: 'none',
  requires: ['email'],
  matchKeys: { strong: ['email'] },
  dedup: '',

  request: ({ event, user, value }, secrets, name) => ({
    url: 'https://',
    headers: { authorization: secrets.${upper(id)}_API_KEY },
    json: { name, id: event.eventId, user, value },
  }),
})
`

/** The examples, where the work on a provider starts. */
const examples = (
  id: string,
) => `import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

const event = { eventName: 'Purchase', data: cart }
const secrets = { ${upper(id)}_API_KEY: 'key' }
const example = exampleLike({ user: { email: 'ada@example.com' }, secrets })

// events and the requests that they become, as the vendor's page shows them
export const examples: readonly ProviderExample[] = [
  example('a purchase', { event, sends: [] }),
  ...ofEachPerson({ event, secrets }, { visitor: { skipped: 'identityMissing' }, email: [], customer: [] }),
]
`

/** `Acme Ads` → `acmeAds`; an id stays as it is. */
const toId = (name: string) =>
  name
    .trim()
    .split(/[ .&-]+/)
    .filter(Boolean)
    .map((word, n) => (n === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1))
    .join('')

const listed = /^ {2}'(\w+)',$/

/** The list of ids with one more, in alphabetical order. */
function withId(text: string, id: string): string {
  const lines = text.split('\n')
  const before = lines.findIndex((line) => (listed.exec(line)?.[1] ?? '').toLowerCase() > id.toLowerCase())
  const end = lines.indexOf('] as const')
  return lines.toSpliced(before < 0 ? end : before, 0, `  '${id}',`).join('\n')
}

const [name = ''] = process.argv.slice(2)
const id = toId(name)
if (!/^[a-z][A-Za-z0-9]{1,39}$/.test(id) || name.length > 60)
  stop('Write npm run new-provider NAME with the name of the vendor: acmeAds, or "Acme Ads".')
const file = join(folder, `${id}.ts`)
if (process.argv.includes('--print')) {
  process.stdout.write(template(id) + examples(id))
  process.exit(0)
}
if (existsSync(file)) stop(`src/providers/${id}.ts exists already.`)
const ids = readFileSync(idsFile, 'utf8')
const isListed = ids.split('\n').some((line) => listed.exec(line)?.[1] === id)
if (!isListed) writeFileSync(idsFile, withId(ids, id))
writeFileSync(file, template(id))
writeFileSync(join(folder, `examples/${id}.ts`), examples(id))
console.log(
  `Created src/providers/${id}.ts and src/providers/examples/${id}.ts${isListed ? '' : ', and added the id to src/contract/providerIds.ts'}. Write the examples first, then run: npm run providers && npm test -- src/providers`,
)
