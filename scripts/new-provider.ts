// npm run new-provider NAME: begins a provider's file. Its examples must be filled before its tests pass. With --print it is only shown.
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

/** A file that compiles and whose tests fail: it has no example, and its one event sends nothing but itself. */
const form = (id: string) => `import { cart } from '#provider/examples.ts'
import { hashed, plain } from '#provider/identity.ts'
import { provider } from '#provider/provider.ts'
import { password } from '#provider/variables.ts'

export default provider({
  label: '${label(id)}',
  stage: 'draft',
  consent: ['advertising'],
  docs: 'https://',
  host: 'fixed',

  secrets: {
    ${upper(id)}_API_KEY: password('API key', ''),
  },

  // ours: theirs; write each that the vendor's page maps
  events: { Purchase: '' },
  user: { email: hashed('email'), ip: plain('ip') },
  requires: ['email'],
  dedup: '',

  request: ({ event, user, value }, secrets, name) => ({
    url: 'https://',
    headers: { authorization: secrets.${upper(id)}_API_KEY },
    json: { name, id: event.eventId, user, value },
  }),

  // begin here: an event in, the request out, as the vendor's page shows it
  examples: [
    {
      title: 'a purchase',
      event: { eventName: 'Purchase', data: cart },
      user: { email: 'ada@example.com' },
      secrets: { ${upper(id)}_API_KEY: 'key' },
      sends: [],
    },
  ],
})
`

const [id = ''] = process.argv.slice(2)
if (!(providerIds as readonly string[]).includes(id))
  stop(
    `Write npm run new-provider NAME with one of the 91 ids of src/contract/providerIds.ts${id && `: ${JSON.stringify(id)} is none`}.`,
  )
const file = join(folder, `${id}.ts`)
if (process.argv.includes('--print')) {
  process.stdout.write(form(id))
  process.exit(0)
}
if (existsSync(file)) stop(`src/providers/${id}.ts is there already.`)
writeFileSync(file, form(id))
console.log(
  `src/providers/${id}.ts is begun. Fill its examples first, then: npm run providers && npm test -- src/providers`,
)
