// npm run new-provider NAME: creates a provider file and its examples. Its tests fail until these are written. --print writes both to standard output instead.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { providerIds } from '#contract/providerIds.ts'

const folder = join(import.meta.dirname, '../src/providers')

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
  requires: ['email'],
  dedup: '',

  request: ({ event, user, value }, secrets, name) => ({
    url: 'https://',
    headers: { authorization: secrets.${upper(id)}_API_KEY },
    json: { name, id: event.eventId, user, value },
  }),
})
`

/** The examples, where the work on a provider starts. */
const examples = (id: string) => `import type { ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'

// events and the requests that they become, as the vendor's page shows them
export const examples: readonly ProviderExample[] = [
  {
    title: 'a purchase',
    event: { eventName: 'Purchase', data: cart },
    user: { email: 'ada@example.com' },
    secrets: { ${upper(id)}_API_KEY: 'key' },
    sends: [],
  },
]
`

const [id = ''] = process.argv.slice(2)
if (!(providerIds as readonly string[]).includes(id))
  stop(
    `Write npm run new-provider NAME with one of the 91 ids of src/contract/providerIds.ts${id && `: ${JSON.stringify(id)} is not one of them`}.`,
  )
const file = join(folder, `${id}.ts`)
if (process.argv.includes('--print')) {
  process.stdout.write(template(id) + examples(id))
  process.exit(0)
}
if (existsSync(file)) stop(`src/providers/${id}.ts exists already.`)
writeFileSync(file, template(id))
writeFileSync(join(folder, `examples/${id}.ts`), examples(id))
console.log(
  `Created src/providers/${id}.ts and src/providers/examples/${id}.ts. Write the examples first, then run: npm run providers && npm test -- src/providers`,
)
